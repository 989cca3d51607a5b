import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CONTRACT, latestRun, outcomeLines, statusCounts, type Workplace } from "./push-scene.ts";
import { correct, useRejects } from "./rejects-scene.ts";

const { fourAccounts, keysOnPlatform } = useRejects();

const CONFIGURATION = "contract: contract.yaml\nmapping: mapping.yaml\nsupplier: ACME\n";
const TYPES = "code,value\nD,DOMESTIC\nB,BUSINESS\n";
const NAMES = 'import { trim } from "./trim.mjs";\nexport const trimmed = trim;\n';
const TRIM = "export const trim = (value) => value.trim();\n";
const SETUP = {
  "contract.yaml": readFileSync(CONTRACT, "utf8"),
  "lists/types.csv": TYPES,
  "lists/names.mjs": NAMES,
  "lists/trim.mjs": TRIM,
  "migrate.yaml": CONFIGURATION,
};

/** Pushes four accounts, two of them invalid. The mapping uses a lookup list and functions in another folder. */
async function pushed(): Promise<Workplace> {
  const work = fourAccounts();
  const { file, migrate } = work;
  const mapping = readFileSync(file("mapping.yaml"), "utf8")
    .replace("lookup: { D: DOMESTIC, B: BUSINESS }", "lookup: lists/types.csv")
    .replace("billing_name: NAME", "billing_name: { from: NAME, call: trimmed }");
  mkdirSync(file("lists"));
  writeFileSync(file("mapping.yaml"), `functions: lists/names.mjs\n${mapping}`);
  for (const [name, content] of Object.entries(SETUP)) writeFileSync(file(name), content);
  expect((await migrate(["push", "accounts.csv", "--out", "report"])).code).toBe(1);
  expect(await keysOnPlatform()).toHaveLength(2);
  return work;
}

/** Changes and removes the setup files of the run, so that no command can use them. */
function breakSetup({ file }: Workplace): void {
  for (const name of ["mapping.yaml", "contract.yaml", "lists/names.mjs"]) writeFileSync(file(name), "x: 1\n");
  for (const name of ["lists/types.csv", "lists/trim.mjs"]) rmSync(file(name));
}

describe("files that have changed since a push", () => {
  test("are named by report, explain, proof and push --rejects, and the stored versions are used", async () => {
    const work = await pushed();
    correct(work);
    breakSetup(work);
    for (const { command, exitCode } of [
      { command: ["report", "--out", "again"], exitCode: 1 },
      { command: ["explain", "00000003"], exitCode: 0 },
      { command: ["proof", "--out", "proof"], exitCode: 0 },
    ]) {
      const { code, stderr } = await work.migrate(command);
      expect([command[0], code]).toEqual([command[0], exitCode]);
      expect(stderr).toMatch(/the contract contract\.yaml has changed, the mapping mapping\.yaml has changed/);
      expect(stderr).toMatch(/the lookup list lists.types\.csv no longer exists.* stored with the run/);
    }
    const pushedAgain = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect(pushedAgain.stderr).toContain("pass them with --contract and --mapping");
    expect(statusCounts(outcomeLines(pushedAgain.stdout))).toEqual({ accepted: 2 });
    expect(await keysOnPlatform()).toHaveLength(4);

    const resumed = await work.migrate(["resume", "--format", "ndjson"]);
    expect([resumed.code, statusCounts(outcomeLines(resumed.stdout))]).toEqual([0, { accepted: 2 }]);
  });

  test("are used in their current versions by push --rejects if a flag names them", async () => {
    const work = await pushed();
    writeFileSync(work.file("lists/types.csv"), `${TYPES}?,BUSINESS\n`);
    const { code, stdout, stderr } = await work.migrate([
      "push",
      "--rejects",
      "report",
      "--mapping",
      "mapping.yaml",
      "--format",
      "ndjson",
    ]);
    expect(stderr).not.toContain("stored with the run");
    expect([code, statusCounts(outcomeLines(stdout))]).toEqual([0, { accepted: 2 }]);
  });

  test("are not reported if only the configuration file has changed", async () => {
    const work = await pushed();
    appendFileSync(work.file("migrate.yaml"), "concurrency: 3\n");
    const { stderr } = await work.migrate(["report", "--out", "again"]);
    expect(stderr).not.toContain("stored with the run");
  });
});

describe("migrate run", () => {
  test("`show` lists the files of a run, and `files` writes the stored files byte for byte", async () => {
    const work = await pushed();
    const run = await latestRun(work);
    const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
    breakSetup(work);
    const shown = await work.migrate(["run", "show"]);
    expect(shown.code).toBe(0);
    for (const name of [...Object.keys(SETUP), "mapping.yaml"])
      expect(shown.stdout).toMatch(new RegExp(`${name.replace(".", "\\.")} .* yes$`, "m"));
    expect(shown.stdout).toMatch(/input +accounts\.csv .* no$/m);

    expect((await work.migrate(["run", "files", run.slice(0, -2), "--out", "as-it-was"])).code).toBe(0);
    for (const [name, content] of Object.entries({ ...SETUP, "mapping.yaml": mapping }))
      expect(readFileSync(work.file("as-it-was", name), "utf8")).toBe(content);
    const { files }: { files: readonly { kind: string; isStored: boolean }[] } = JSON.parse(
      (await work.migrate(["run", "show", run, "--format", "json"])).stdout,
    );
    expect(files.filter(({ isStored }) => !isStored).map(({ kind }) => kind)).toEqual(["input", "input"]);
  });

  test("`files` refuses an unknown run, and a folder that is not empty", async () => {
    const work = await pushed();
    const { code, stderr } = await work.migrate(["run", "files", "--out", "lists"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("the folder lists is not empty")]);
    const onFile = await work.migrate(["run", "files", "--out", "mapping.yaml"]);
    expect([onFile.code, onFile.stderr]).toEqual([2, expect.stringContaining("choose a new folder with --out")]);
    expect((await work.migrate(["run", "files", "19990101", "--out", "new"])).code).toBe(2);
  });
});
