// Runs mutation tests of the pure core: Stryker changes one expression at a time, and at least one test must fail.
//   npm run mutation                            all folders
//   npm run mutation -- validate                one folder
//   npm run mutation -- src/map/leaf            the source in a folder or a file
// A later run tests only mutants whose source has changed and, if there are new tests, mutants that survived. Delete
// `.mutation`, which contains the results, after you change the body of a test. Exits with 1 if fewer than 85% of the
// mutants are killed. README.md explains the other files of this folder.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/**
 * The source of each folder, and the tests that must kill its mutants. `leftOut` contains the titles of tests that do
 * not run, because they take seconds to process large inputs or require more random cases than a run has. Other tests
 * check the same code.
 */
const FOLDERS = {
  validate: {
    source: ["src/validate/**"],
    tests: ["test/validate/**/*.test.ts"],
    leftOut: [
      "end the run if one record has more than 250,000 alternatives to check",
      "limit the comparisons of a long string with an RE2 pattern",
    ],
  },
  map: { source: ["src/map/**"], tests: ["test/map/**/*.test.ts"] },
  rules: {
    source: ["src/rules/**"],
    tests: ["test/rules/**/*.test.ts"],
    leftOut: ["are also valid according to libphonenumber"],
  },
  "pipeline/bytes": { source: ["src/pipeline/bytes/**"], tests: ["test/pipeline/bytes/**/*.test.ts"] },
  upload: {
    source: ["src/upload/{next-request,poll-patience,record-state,retry,workflow-position}.ts"],
    tests: [
      "test/upload/{early-not-found,existing-records,poll-patience,record-state,retry*,send-record,shutdown,upload,workflow-position}.test.ts",
    ],
  },
};

const folder = import.meta.dirname;
process.chdir(path.dirname(path.dirname(folder)));
const runs = chosenRuns(process.argv.slice(2));
if (!existsSync(path.join(folder, "node_modules/@stryker-mutator/core"))) install();
const { Stryker } = await import("@stryker-mutator/core");
for (const run of runs) await testMutants(run);

function chosenRuns(words) {
  const all = Object.entries(FOLDERS).map(([name, { source, ...others }]) => ({ name, mutate: source, ...others }));
  if (words.length === 0) return all;
  return words.map((word) => {
    const named = all.find(({ name }) => name === word);
    if (named !== undefined) return named;
    const around = all.find(({ name }) => `${word}/`.startsWith(`src/${name}/`));
    if (around === undefined || !existsSync(word)) {
      process.stderr.write(
        `unknown argument ${word}: pass ${Object.keys(FOLDERS).join(", ")}, or a path in their source\n`,
      );
      process.exit(2);
    }
    return { ...around, mutate: [word.endsWith(".ts") ? word : `${word}/**`] };
  });
}

/**
 * Stryker is not a dependency of the project: it has more dependencies than the project, and only this script uses it.
 */
function install() {
  process.stderr.write("Installing Stryker ...\n");
  const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--loglevel=error"], {
    cwd: folder,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function testMutants({ name, mutate, tests, leftOut = [] }) {
  const file = name.replaceAll("/", "-");
  process.env.MUTATION_TESTS = JSON.stringify(tests);
  process.env.MUTATION_LEFT_OUT = JSON.stringify(leftOut);
  const stryker = new Stryker({
    mutate,
    buildCommand: `node ${path.join(folder, "bundle.mjs")}`,
    testRunner: "same-process",
    plugins: [path.join(folder, "runner.mjs")],
    coverageAnalysis: "perTest",
    ignoreStatic: process.env.MUTATION_STATIC === undefined,
    concurrency: 2,
    incremental: true,
    incrementalFile: `.mutation/${file}.json`,
    tempDirName: ".mutation/copies",
    ignorePatterns: ["**", "!src/**", "!test/**", "!fixtures/**", "!docs/**", "!*.*", "test/mutation/node_modules"],
    reporters: ["clear-text", "html", "progress-append-only"],
    clearTextReporter: { reportTests: false, allowColor: false },
    htmlReporter: { fileName: `.mutation/${file}.html` },
    thresholds: { high: 95, low: 85, break: 85 },
    // Stryker uses an API of TypeScript that version 7 does not have.
    tsconfigFile: "none",
    // On a busy machine, a slow mutant must not count as an endless loop.
    timeoutMS: 10_000,
    timeoutFactor: 4,
    warnings: { slow: false },
  });
  await stryker.runMutationTest();
}
