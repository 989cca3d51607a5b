// Mutation tests with selected defects. `npm run defects` applies each patch of this folder to a copy of the checkout,
// and runs the test that must catch the defect (`defects.json`). If this test passes, runs all tests.
// `npm run defects -- third-attempt-is-dropped` tries only this defect. Exits with 1 if a defect survives, a patch does
// not apply, or the build fails.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const folder = import.meta.dirname;
const root = path.dirname(path.dirname(folder));
const all = JSON.parse(readFileSync(path.join(folder, "defects.json"), "utf8"));
const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? all : all.filter(({ defect }) => wanted.includes(defect));
requireKnown();

const above = mkdtempSync(path.join(tmpdir(), "migrate-defects-"));
const copy = path.join(above, "main");
process.once("exit", () => rmSync(above, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
copyCheckout();

requireBuilt();
const catchers = [...new Set(chosen.map(({ caughtBy }) => caughtBy))];
const before = failingTests(catchers);
if (before.length > 0) stop(`without a defect, these tests already fail: ${namesOf(before)}`);

const results = [];
for (const one of chosen) {
  const result = tryDefect(one);
  results.push({ ...one, ...result });
  print(`${result.end}: ${one.defect}`);
}
printTable();
process.exit(results.every(({ isCaught }) => isCaught) ? 0 : 1);

/** Checks that each patch is listed, and that each entry has a patch and a test. */
function requireKnown() {
  const patches = readdirSync(folder).flatMap((name) =>
    name.endsWith(".patch") ? [path.basename(name, ".patch")] : [],
  );
  const names = all.map(({ defect }) => defect);
  const unlisted = patches.filter((name) => !names.includes(name));
  const missing = names.filter((name, index) => !patches.includes(name) || names.indexOf(name) !== index);
  const untested = all.filter(({ caughtBy }) => !existsSync(path.join(root, caughtBy)));
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unlisted.length > 0) stop(`not in defects.json: ${unlisted.join(", ")}`);
  if (missing.length > 0) stop(`patch missing, or listed twice: ${missing.join(", ")}`);
  if (untested.length > 0) stop(`no such test: ${untested.map(({ caughtBy }) => caughtBy).join(", ")}`);
  if (unknown.length > 0) stop(`there is no defect ${unknown.join(", ")}`);
}

/** Copies all tracked and untracked files that are not ignored. Links the packages and the `shared` folder. */
function copyCheckout() {
  const listed = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], root);
  if (listed.status !== 0) stop("not a git checkout");
  for (const name of listed.stdout.split("\0")) {
    const from = path.join(root, name);
    if (name === "" || !existsSync(from)) continue;
    mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
    cpSync(from, path.join(copy, name), { preserveTimestamps: true, verbatimSymlinks: true });
  }
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  const shared = path.join(path.dirname(root), "shared");
  if (existsSync(shared)) symlinkSync(shared, path.join(above, "shared"));
}

function requireBuilt() {
  const { status, stdout, stderr } = build();
  if (status !== 0) stop(`the checkout does not build:\n${stdout}${stderr}`);
}

function tryDefect({ defect, caughtBy }) {
  const patch = path.join(folder, `${defect}.patch`);
  if (run("git", ["apply", patch], copy).status !== 0) return { isCaught: false, end: "DOES NOT APPLY" };
  let isBuilt = false;
  try {
    // Most tests run the source, and a build takes longer than these tests.
    if (failingTests([caughtBy]).some(({ hasFailedTest }) => hasFailedTest)) return { isCaught: true, end: "caught" };
    isBuilt = true;
    if (build().status !== 0) return { isCaught: false, end: "DOES NOT BUILD" };
    if (failingTests([caughtBy]).length > 0) return { isCaught: true, end: "caught" };
    const others = failingTests([]);
    if (others.length === 0) return { isCaught: false, end: "SURVIVED" };
    return { isCaught: true, end: `caught, but by ${namesOf(others)}` };
  } finally {
    if (run("git", ["apply", "--reverse", patch], copy).status !== 0) stop(`${defect} cannot be reverted`);
    if (isBuilt) requireBuilt();
  }
}

function build() {
  return run(process.execPath, [".ci/build.mjs"], copy);
}

function namesOf(files) {
  return files.map(({ name }) => name).join(", ");
}

/** Runs the given test files, or all, and returns the files that fail or do not load. */
function failingTests(files) {
  const report = path.join(above, "report.json");
  rmSync(report, { force: true });
  const vitest = path.join(copy, "node_modules/vitest/vitest.mjs");
  const words = ["run", "--config", "test/vitest.config.ts", "--reporter=json", `--outputFile=${report}`, ...files];
  const { status, stderr } = run(process.execPath, [vitest, ...words], copy);
  if (!existsSync(report)) stop(`the tests did not run (${status}):\n${stderr}`);
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  const failing = testResults.filter((file) => file.status !== "passed");
  if (status !== 0 && failing.length === 0) return [{ name: "an error outside of tests" }];
  return failing.map(({ name, assertionResults }) => ({
    name: path.relative(copy, name),
    hasFailedTest: assertionResults.some(({ status: end }) => end === "failed"),
  }));
}

/** Runs a program. Prevents git from finding a repository above the copy. */
function run(command, words, cwd) {
  const env = { ...process.env, ...(cwd === copy && { GIT_CEILING_DIRECTORIES: above }) };
  return spawnSync(command, words, { cwd, env, encoding: "utf8", maxBuffer: 2 ** 28 });
}

function printTable() {
  const width = Math.max(...results.map(({ defect }) => defect.length));
  print("");
  for (const { defect, caughtBy, end } of results) print(`${defect.padEnd(width)}  ${caughtBy}  ${end}`);
  print(`\n${results.filter(({ isCaught }) => isCaught).length} of ${results.length} caught`);
}

function print(text) {
  process.stdout.write(`${text}\n`);
}

function stop(why) {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}
