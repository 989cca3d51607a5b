// Bundles the tests that MUTATION_TESTS lists and the mutated source into `.mutation-tests.mjs` in the working
// directory, which is a copy of the checkout.
import { globSync } from "tinyglobby";
import { rolldown } from "rolldown";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = import.meta.dirname;
const files = globSync(JSON.parse(process.env.MUTATION_TESTS), { cwd: process.cwd() }).toSorted();
const harness = pathToFileURL(path.join(folder, "harness.mjs")).href;
const ENTRY = "\0entry";

const bundle = await rolldown({
  input: ENTRY,
  platform: "node",
  treeshake: false,
  onLog: (level, log, print) => level === "warn" || print(level, log),
  plugins: [
    {
      name: "tests",
      resolveId(id, from) {
        if (id === ENTRY) return id;
        if (id === "vitest") return { id: harness, external: true };
        if (id === "fast-check") return { id: pathToFileURL(path.join(folder, "fast-check.mjs")).href, external: true };
        if (from !== undefined && !id.startsWith(".") && !path.isAbsolute(id) && !id.startsWith("\0"))
          return { id, external: true };
        return undefined;
      },
      load(id) {
        return id === ENTRY
          ? files.map((file) => `import ${JSON.stringify(path.resolve(file))};`).join("\n")
          : undefined;
      },
      transform(code, id) {
        const name = path.relative(process.cwd(), id);
        const placed = code
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
          .replaceAll("import.meta.dirname", JSON.stringify(path.dirname(id)));
        return files.includes(name)
          ? `import { startFile } from "vitest";\nstartFile(${JSON.stringify(name)});\n${placed}`
          : placed;
      },
    },
  ],
});
await bundle.write({ file: ".mutation-tests.mjs", format: "esm", codeSplitting: false });
