// Bundles the program and the library with every package that they use. Users therefore install no other packages, and
// the program starts from a few files instead of several thousand.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { rolldown } from "rolldown";
import { chunksOf } from "./chunks.mjs";
import { noticesOf } from "./notices.mjs";

/** Entry points. The program loads them by file name. */
const ENTRIES = {
  main: "cli/main.ts",
  "run-program": "cli/run-program.ts",
  index: "index.ts",
  "ledger-worker": "ledger/thread/ledger-worker.ts",
  "chunk-worker": "pipeline/threads/chunk-worker.ts",
  "function-worker": "job/functions/function-worker.ts",
};

/** Modules that the source loads on demand with `load("...")`. Each becomes a separate file. */
const LATE = {
  "ajv/dist/2020.js": "./ajv.cjs",
  re2js: "./re2js.cjs",
  "iconv-lite": "./iconv-lite.cjs",
  "string-width": "./string-width.cjs",
  "temporal-polyfill": "./temporal-polyfill.cjs",
  "@photostructure/sqlite": "../sqlite/lib/index.cjs",
};

/** Writes dist/program/, dist/browser/ and dist/sqlite/, and the licences of the bundled packages. */
export async function bundle(root, dist) {
  const program = path.join(dist, "program");
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, path.join(root, "src", file)]));
  const codeSplitting = chunksOf(path.join(root, "src"), ENTRIES);
  const bundled = await write(
    { input, preserveEntrySignatures: "allow-extension", plugins: [lateFiles, undiciParts] },
    { dir: program, format: "esm", sourcemap: true, codeSplitting },
  );
  for (const { fileName } of bundled) if (fileName.endsWith(".map")) keepOwnPlaces(path.join(program, fileName));
  for (const [name, file] of Object.entries(LATE)) {
    if (!bundled.some(({ code = "" }) => code.includes(`("${file}")`)))
      throw new Error(`the source does not load ${name} with load("${name}"), so the package would lack it`);
    bundled.push(
      ...(await write({ input: name, cwd: root }, { file: path.join(program, file), format: "cjs", exports: "named" })),
    );
  }
  bundled.push(...(await bundleWeb(root, path.join(dist, "browser"))));
  // Copies the binaries for six platforms. The package finds the right one by its folder name.
  const prebuilds = "node_modules/@photostructure/sqlite/prebuilds";
  cpSync(path.join(root, prebuilds), path.join(dist, "sqlite/prebuilds"), { recursive: true });
  const chunks = bundled.filter(({ type }) => type === "chunk");
  refuseOutside(chunks);
  writeFileSync(path.join(dist, "NOTICES.md"), noticesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
}

/** Writes the client of `migrate web`: a document, a script and a style sheet. */
async function bundleWeb(root, folder) {
  const client = path.join(root, "src/web/client");
  const written = await write(
    { input: path.join(client, "main.tsx"), platform: "browser", transform: { target: "es2022" } },
    { file: path.join(folder, "app.js"), format: "esm", minify: true, comments: false },
  );
  cpSync(path.join(client, "index.html"), path.join(folder, "index.html"));
  const own = readdirSync(client, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".css"));
  const shared = [
    path.join(root, "src/page/shared.css"),
    path.join(root, "node_modules/slickgrid/dist/styles/css/slick.grid.css"),
  ];
  const sheets = [...shared, ...own.toSorted().map((name) => path.join(client, name))];
  writeFileSync(path.join(folder, "app.css"), sheets.map((file) => readFileSync(file, "utf8")).join("\n"));
  return written;
}

async function write(options, outputOptions) {
  const build = await rolldown({ platform: "node", transform: { target: "es2023" }, onLog: refuseWarning, ...options });
  const { output } = await build.write({ sourcemapExcludeSources: true, comments: COMMENTS, ...outputOptions });
  await build.close();
  return output;
}

/** Removes documentation comments, because parsing them takes time at every start. */
const COMMENTS = { jsdoc: false };

/** Turns warnings into errors, because the bundler reports an unresolved package only as a warning. */
function refuseWarning(level, { message }) {
  if (level === "warn") throw new Error(message);
}

const LATE_CALL = /\bload\("([^"]+)"\)/g;

/**
 * Plugin that replaces the name in `load("...")` with the file in LATE. It returns no source map, because a replacement
 * only shifts columns within its own line.
 */
const lateFiles = {
  name: "late-files",
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: LATE_CALL },
    handler: (code) => ({ code: code.replaceAll(LATE_CALL, lateCall), map: null }),
  },
};

function lateCall(call, name) {
  if (isBuiltin(name)) return call;
  const file = LATE[name];
  if (file === undefined) throw new Error(`"${name}" is loaded on demand: add its file to LATE in .ci/bundle.mjs`);
  return `load("${file}")`;
}

/** The parts of undici that are used. The whole package, with fetch, caches and mocks, takes too long to load. */
const UNDICI = `
  export { default as Pool } from "undici/lib/dispatcher/pool.js";
  export { default as buildConnector } from "undici/lib/core/connect.js";`;

/**
 * Modules that these parts import but this program never uses. They handle HTTP/2, and bodies other than text and
 * bytes.
 */
const UNUSED_OF_UNDICI = /\/(?:client-h2|fetch\/body)\.js$/;

const undiciParts = {
  name: "undici-parts",
  resolveId: {
    filter: { id: [/^undici$/, UNUSED_OF_UNDICI] },
    handler: (id, importer) =>
      id === "undici" || importer.includes("/undici/")
        ? `\0${id === "undici" ? "undici" : "undici-unused"}`
        : undefined,
  },
  load: {
    filter: { id: /^\0undici/ },
    handler: (id) => (id === "\0undici" ? UNDICI : "module.exports = undefined;"),
  },
};

/**
 * Keeps only the source-map entries for the project's own source, because stack traces need no entries for packages.
 */
function keepOwnPlaces(file) {
  const map = JSON.parse(readFileSync(file, "utf8"));
  const isOwn = map.sources.map((source) => !source.includes("node_modules"));
  const lines = decode(map.mappings).map((line) =>
    // An entry without a source marks the end of the previous entry.
    line
      .map((entry) => (isOwn[entry[1]] ? entry : [entry[0]]))
      .filter((entry, index, entries) => entry.length > 1 || index === 0 || entries[index - 1].length > 1),
  );
  const sources = map.sources.map((source, index) => (isOwn[index] ? source : ""));
  writeFileSync(file, JSON.stringify({ ...map, sources, names: [], mappings: encode(lines) }));
}

/** Throws if the bundle imports a package, because the package would be missing after installation. */
function refuseOutside(chunks) {
  const files = new Set(chunks.map(({ fileName }) => fileName));
  const outside = chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((name) => !files.has(name) && !isBuiltin(name));
  if (outside.length > 0) throw new Error(`not in the bundle: ${[...new Set(outside)].join(", ")}`);
}

/**
 * Whether this is the name of a built-in module. Also true for `node:` modules that this version of Node.js does not
 * have.
 */
function isBuiltin(name) {
  return name.startsWith("node:") || builtinModules.includes(name);
}
