// Bundles the command line and the library with every package that they use: users of the tool install nothing
// else, and it starts from a few files instead of some thousand.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import path from "node:path";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { rolldown } from "rolldown";
import { chunksOf } from "./chunks.mjs";
import { noticesOf } from "./notices.mjs";

/** The files that something outside the bundle names. */
const ENTRIES = {
  main: "cli/main.ts",
  "run-program": "cli/run-program.ts",
  index: "index.ts",
  "ledger-worker": "ledger/thread/ledger-worker.ts",
  "chunk-worker": "pipeline/threads/chunk-worker.ts",
  "function-worker": "job/functions/function-worker.ts",
};

/** What the source loads late, by `load("...")`: files of their own. */
const LATE = {
  "ajv/dist/2020.js": "./ajv.cjs",
  re2js: "./re2js.cjs",
  "iconv-lite": "./iconv-lite.cjs",
  "string-width": "./string-width.cjs",
  "temporal-polyfill": "./temporal-polyfill.cjs",
  "@photostructure/sqlite": "../sqlite/lib/index.cjs",
};

/** Fills dist/program/ and dist/sqlite/, and writes the licences of what is in them. */
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
    bundled.push(
      ...(await write({ input: name, cwd: root }, { file: path.join(program, file), format: "cjs", exports: "named" })),
    );
  }
  // Binaries for six platforms, found by the folder's name.
  const prebuilds = "node_modules/@photostructure/sqlite/prebuilds";
  cpSync(path.join(root, prebuilds), path.join(dist, "sqlite/prebuilds"), { recursive: true });
  const chunks = bundled.filter(({ type }) => type === "chunk");
  refuseOutside(chunks);
  writeFileSync(path.join(dist, "NOTICES.md"), noticesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
}

async function write(options, outputOptions) {
  const build = await rolldown({ platform: "node", transform: { target: "es2023" }, onLog: refuseWarning, ...options });
  const { output } = await build.write({ sourcemapExcludeSources: true, comments: COMMENTS, ...outputOptions });
  await build.close();
  return output;
}

/** What says how code is used is not read by a program; it would be read past each time that the program starts. */
const COMMENTS = { jsdoc: false };

/** Among others, of a package that cannot be found. */
function refuseWarning(level, { message }) {
  if (level === "warn") throw new Error(message);
}

const LATE_CALL = /\bload\("([^"]+)"\)/g;

/** Only the one line changes its length: the places in it are not worth a map. */
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
  if (file === undefined) throw new Error(`"${name}" is loaded late: name its file in .ci/bundle.mjs`);
  return `load("${file}")`;
}

/** The two parts of undici that are used. The whole of it, with its fetch, caches and mocks, takes long to load. */
const UNDICI = `
  export { default as Pool } from "undici/lib/dispatcher/pool.js";
  export { default as buildConnector } from "undici/lib/core/connect.js";`;

/** What these parts name and are never asked for: connections of HTTP/2, and bodies that are neither text nor bytes. */
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

/** Stack traces are shown with the places in our own source; those in packages need no map. */
function keepOwnPlaces(file) {
  const map = JSON.parse(readFileSync(file, "utf8"));
  const isOwn = map.sources.map((source) => !source.includes("node_modules"));
  const lines = decode(map.mappings).map((line) =>
    // Without a source after its column, an entry says where the one before it ends.
    line
      .map((entry) => (isOwn[entry[1]] ? entry : [entry[0]]))
      .filter((entry, index, entries) => entry.length > 1 || index === 0 || entries[index - 1].length > 1),
  );
  const sources = map.sources.map((source, index) => (isOwn[index] ? source : ""));
  writeFileSync(file, JSON.stringify({ ...map, sources, names: [], mappings: encode(lines) }));
}

/** A package that is not in the bundle would be missing where the tool is installed. */
function refuseOutside(chunks) {
  const files = new Set(chunks.map(({ fileName }) => fileName));
  const outside = chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((name) => !files.has(name) && !isBuiltin(name));
  if (outside.length > 0) throw new Error(`not in the bundle: ${[...new Set(outside)].join(", ")}`);
}

/** Also one that this version of Node.js does not have. */
function isBuiltin(name) {
  return name.startsWith("node:") || builtinModules.includes(name);
}
