// Tests the published package. Packs this checkout, installs the package into an empty project without a network, runs
// it, and compiles against it. Prints one line per check. The exit code is 1 if a check fails.
//
//   node .ci/package.mjs
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { warningsIn } from "./warnings.mjs";

const MAX_BYTES = 40_000_000;

const root = path.dirname(import.meta.dirname);
const folder = mkdtempSync(path.join(tmpdir(), "migrate-package-"));
const project = path.join(folder, "project");
const installed = path.join(project, "node_modules/energy-migrate");
let failures = 0;

try {
  checkPackage();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

function checkPackage() {
  run("npm", ["pack", "--pack-destination", folder], root);
  const archive = path.join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  console.log(`packed: ${megabytes(lstatSync(archive).size)}`);

  mkdirSync(project);
  writeFileSync(path.join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", archive], project);
  checkSize();

  const { version } = JSON.parse(run("npm", ["pkg", "get", "--json", "version", "name"], installed).stdout);
  for (const name of ["migrate", "energy-migrate"]) {
    check(`npx ${name} --version`, npx(name, "--version").stdout.trim() === version);
  }
  const demo = npx("migrate", "demo");
  check("npx migrate demo: exit 0", demo.status === 0, demo.stderr);
  check("npx migrate demo: no warning", warningsIn(demo.stderr).length === 0, warningsIn(demo.stderr).join("\n"));

  const publint = spawnSync("npx", ["publint", "--strict", archive], { cwd: root, encoding: "utf8" });
  check("publint", publint.status === 0, publint.stdout);
  const attw = spawnSync("npx", ["attw", archive, "--profile", "esm-only", "--no-color"], {
    cwd: root,
    encoding: "utf8",
  });
  check("Are the types wrong?", attw.status === 0, attw.stdout);
  checkTypes();
  const examples = spawnSync(process.execPath, [path.join(root, "test/library/examples.mjs"), project], {
    encoding: "utf8",
  });
  check("the examples of docs/library.md", examples.status === 0, examples.stdout + examples.stderr);
}

/** Checks the size of all installed files. */
function checkSize() {
  const names = readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith("."));
  check("installs no other package", names.join() === "energy-migrate", names.join(", "));
  const size = sizeOf(path.join(project, "node_modules"));
  check(`takes less than ${megabytes(MAX_BYTES)}: ${megabytes(size)}`, size < MAX_BYTES);
  const parts = ["dist/sqlite", "dist/program", "dist/types", "docs"];
  console.log(parts.map((name) => `  ${name} ${megabytes(sizeOf(path.join(installed, name)))}`).join("\n"));
}

/** Compiles all declarations in strict mode, with only the types of Node.js. */
function checkTypes() {
  writeFileSync(path.join(project, "all.ts"), 'export * from "energy-migrate";\n');
  const options = { module: "nodenext", target: "es2023", lib: ["es2023"], strict: true, noEmit: true };
  const node = { types: ["node"], typeRoots: [path.join(root, "node_modules/@types")] };
  const settings = { compilerOptions: { ...options, ...node, skipLibCheck: false }, files: ["all.ts"] };
  writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify(settings));
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" });
  check("types", status === 0, stdout);
}

function sizeOf(place) {
  const stat = lstatSync(place);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), stat.size);
}

function npx(name, ...words) {
  return spawnSync("npx", ["--no", "--", name, ...words], { cwd: project, encoding: "utf8" });
}

/** Runs a step that later checks require. Throws if it fails. */
function run(command, words, cwd) {
  const end = spawnSync(command, words, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (end.status === 0) return end;
  throw new Error(`${command} ${words.join(" ")}: exit ${end.status}\n${end.stdout}\n${end.stderr}`);
}

function check(name, passed, why = "") {
  console.log(`${passed ? "ok" : "NOT OK"}  ${name}`);
  if (passed) return;
  failures += 1;
  if (why !== "") console.log(why);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
