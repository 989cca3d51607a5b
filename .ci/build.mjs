// Compiles src/ into a fresh dist/, the library's modules, and bundles the command line from them into dist/program/: the
// program starts from a few files instead of some thousand. Stamps dist/ so that setup.mjs can tell when it is stale.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
rmSync(path.join(root, "dist"), { recursive: true, force: true });
const compiler = path.join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", root], { stdio: ["ignore", "inherit", "inherit"] });
if (status === 0) {
  for (const folder of ["overlays", "page"]) copyFolder(folder);
  await bundleProgram();
  writeFileSync(path.join(root, "dist/.built"), hashOfBuild());
}
process.exit(status ?? 1);

// What is read as it is: the overlays, and what stands in the pages of reports.
function copyFolder(name) {
  cpSync(path.join(root, "src", name), path.join(root, "dist", name), { recursive: true });
  rmSync(path.join(root, "dist", name, "tsconfig.json"), { force: true });
}

// What is imported late stays in a file of its own. SQLite has native code, which a bundle cannot hold.
async function bundleProgram() {
  const input = {
    main: "cli/main.js",
    "plan-worker": "ledger/sqlite/plan/plan-worker.js",
    "chunk-worker": "pipeline/threads/chunk-worker.js",
  };
  const places = Object.entries(input).map(([name, file]) => [name, path.join(root, "dist", file)]);
  const external = ["@photostructure/sqlite"];
  const bundle = await rolldown({ input: Object.fromEntries(places), platform: "node", external });
  await bundle.write({ dir: path.join(root, "dist/program"), format: "esm", sourcemap: true });
  await bundle.close();
}

// What tells one build from the next: the cache of compiled contracts goes by it.
function hashOfBuild() {
  const hash = createHash("sha256");
  const files = readdirSync(path.join(root, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  for (const name of files.toSorted()) hash.update(name).update(readFileSync(path.join(root, "dist", name)));
  return hash.digest("hex");
}
