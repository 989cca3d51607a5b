import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  CONTRACT,
  goodAccounts,
  latestRun,
  outcomeLines,
  statusCounts,
  useSandbox,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const { sandbox, admin } = useSandbox();

/** Runs a push that the platform stops before the end, with exit code 4. */
async function stoppedPush(flags: readonly string[] = []): Promise<Workplace> {
  const work = workplace({ accounts: goodAccounts(40) }, sandbox);
  await admin.faults({ pauseAt: 15 });
  expect((await work.push(["--concurrency", "2", ...flags])).code).toBe(4);
  await admin.supplier("Ongoing");
  return work;
}

const WITHOUT_KEY = { env: { MIGRATE_API_KEY: undefined } };

describe("resume refuses", () => {
  test("a missing ledger, and suggests a push", async () => {
    const { migrate } = workplace({ accounts: goodAccounts(1) }, sandbox);
    const { code, stderr } = await migrate(["resume"]);
    expect(code).toBe(2);
    expect(stderr).toContain("migrate push");
  });

  test("an unknown run", async () => {
    const work = await stoppedPush();
    const { code, stderr } = await work.migrate(["resume", "20200101-0000-beef"]);
    expect(code).toBe(2);
    expect(stderr).toContain("20200101-0000-beef");
    expect(stderr).toContain("migrate status");
  });

  test("a changed input, and names the file", async () => {
    const work = await stoppedPush();
    appendFileSync(work.file("customers.csv"), "EXT-00001,2,Liam,Hughes,07700 900731,1950-01-01\n");
    const sent = await admin.imports();
    const { code, stderr } = await work.migrate(["resume"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/customers\.csv has changed/);
    expect(stderr).not.toContain("accounts.csv");
    expect(await admin.imports()).toEqual(sent);
  });

  test("a missing input, and names the file", async () => {
    const work = await stoppedPush();
    rmSync(work.file("accounts.csv"));
    const { code, stderr } = await work.migrate(["resume"]);
    expect(code).toBe(2);
    expect(stderr).toContain("accounts.csv");
  });
});

describe("resume", () => {
  test("sends only the remaining records, and reports all records", async () => {
    const work = await stoppedPush();
    const before = new Set((await admin.accounts()).map(({ key }) => key));
    const sent = (await admin.imports()).length;
    const { code, stdout } = await work.migrate(["resume", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 40 });
    const again = (await admin.imports()).slice(sent).map(({ key = "" }) => key);
    expect(again).toHaveLength(40 - before.size);
    expect(again.filter((key) => before.has(key))).toEqual([]);
  });

  test("of a complete run sends nothing", async () => {
    const { push, migrate } = workplace({ accounts: goodAccounts(5) }, sandbox);
    await push();
    const sent = await admin.imports();
    const { code, stdout } = await migrate(["resume", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 5 });
    expect(await admin.imports()).toEqual(sent);
  });

  test("of a run without remaining records needs no credentials, and exits with the code of the run", async () => {
    const work = workplace({ accounts: [...goodAccounts(5), { REF: "BAD", TYPE: "X" }] }, sandbox);
    await admin.faults({ errorAfter: { at: [3] } });
    expect((await work.push(["--contract", "no-dedupe.yaml"])).code).toBe(5);
    const sent = await admin.history();
    const { code, stdout, stderr } = await work.migrate(["resume", "--format", "ndjson"], WITHOUT_KEY);
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringMatching(/4 {2}accepted/) });
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 4, ambiguous: 1, invalid: 1 });
    expect(await admin.history()).toEqual(sent);
  });

  test("of a run with remaining records fails without credentials, and can be repeated with them", async () => {
    const work = await stoppedPush();
    const refused = await work.migrate(["resume"], WITHOUT_KEY);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("MIGRATE_API_KEY")]);
    const { code, stdout } = await work.migrate(["resume", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 40 });
  });

  test("accepts a prefix of a run id, and works from any folder", async () => {
    const work = await stoppedPush();
    const run = await latestRun(work);
    mkdirSync(work.file("elsewhere"));
    const { code, stdout, stderr } = await work.migrate(
      ["resume", run.slice(0, -2), "--ledger", work.file(".migrate/ledger.db"), "--format", "ndjson"],
      { cwd: work.file("elsewhere") },
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 40 });
  });

  test("and reconcile read a copy of the input in the current folder if the folder of the push has no input", async () => {
    const work = await stoppedPush();
    const copy = temporaryFolder();
    cpSync(work.folder, copy, { recursive: true });
    for (const name of ["accounts.csv", "customers.csv", "mapping.yaml"]) rmSync(work.file(name));
    expect((await work.migrate(["reconcile"], { cwd: copy })).code).toBe(3);
    const { code, stderr } = await work.migrate(["resume"], { cwd: copy });
    expect(stderr).toMatch(/40 {2}accepted/);
    expect(code).toBe(0);
    expect(await admin.accounts()).toHaveLength(40);
  });

  test("writes the report to the folder of the push", async () => {
    const work = await stoppedPush(["--out", "report"]);
    mkdirSync(work.file("elsewhere"));
    await work.migrate(["resume", "--ledger", "../.migrate/ledger.db"], { cwd: work.file("elsewhere") });
    expect(outcomeLines(readFileSync(work.file("report/outcomes.ndjson"), "utf8"))).toHaveLength(40);
    expect(readdirSync(work.file("elsewhere"))).toEqual([]);
  });

  test("skips records that another push has sent in the meantime", async () => {
    const work = await stoppedPush();
    const first = await latestRun(work);
    expect((await work.push()).code).toBe(0);
    const sent = await admin.imports();
    const { code, stdout } = await work.migrate(["resume", first, "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).not.toHaveProperty("pending");
    expect(await admin.imports()).toEqual(sent);
  });
});

describe("a push that a signal stops while it reads its input", () => {
  test.each([
    ["SIGINT", 3],
    ["SIGKILL", null],
  ])("has sent nothing after %s, and resume reads and sends the whole input", async (signal, exitCode) => {
    const work = withTrap(signal);
    expect((await work.startPush().ended).code).toBe(exitCode);
    expect(await admin.imports()).toEqual([]);

    const { code, stdout } = await work.migrate(["resume", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 1_000 });
    expect(await admin.accounts()).toHaveLength(1_000);
  });
});

const FLAGS = ["push", "-", "--contract", CONTRACT, "--mapping", "mapping.yaml", "--format", "ndjson"];

describe("a push from standard input", () => {
  test("is resumed from an owner-only copy of the input, which is removed at the end", async () => {
    const work = workplace({ accounts: goodAccounts(40) }, sandbox);
    await admin.faults({ pauseAt: 15 });
    const stopped = await pushInput(work, ["--concurrency", "2"]);
    expect(stopped.code).toBe(4);
    expect(outcomeLines(stopped.stdout)[3]).toMatchObject({ source: { file: "-", line: 5 } });
    const [copy = ""] = copies(work);
    expect(copies(work)).toHaveLength(1);
    expect(statSync(work.file(".migrate/input", copy)).mode & 0o777).toBe(0o600);
    for (const folder of [".migrate/input", path.join(".migrate/input", path.dirname(copy))]) {
      expect(statSync(work.file(folder)).mode & 0o777).toBe(0o700);
    }

    await admin.supplier("Ongoing");
    const { code, stdout } = await work.migrate(["resume", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 40 });
    expect(copies(work)).toEqual([]);
  });

  test("keeps its copy when a command on another ledger in the same folder ends", async () => {
    const work = workplace({ accounts: goodAccounts(40) }, sandbox);
    await admin.faults({ pauseAt: 15 });
    expect((await pushInput(work, ["--concurrency", "2"])).code).toBe(4);
    await admin.supplier("Ongoing");
    await work.push(["--ledger", ".migrate/other.db", "--only", "EXT-00001"]);
    expect(copies(work)).toHaveLength(1);
    expect((await work.migrate(["resume"])).code).toBe(0);
  });

  test("leaves no copy of the input behind unless the run can be resumed", async () => {
    const work = workplace({ accounts: [...goodAccounts(3), { REF: "BAD", TYPE: "X" }] }, sandbox);
    expect((await pushInput(work, ["--dry-run"])).code).toBe(1);
    expect(copies(work)).toEqual([]);
    expect((await pushInput(work)).code).toBe(1);
    expect(copies(work)).toEqual([]);
    const empty = await work.migrate(FLAGS, { input: "" });
    expect(empty.code).toBe(2);
    writeExtract(work.folder, { accounts: [] });
    const headerAlone = await work.migrate(FLAGS, { input: "REF,TYPE,NAME,ADDRESS,POSTCODE,MPAN\n" });
    expect(headerAlone.code).toBe(2);
    expect(copies(work)).toEqual([]);
  });

  test("can be reported and explained without its input, although its rows cannot be shown", async () => {
    const work = workplace({ accounts: [...goodAccounts(3), { REF: "BAD", TYPE: "X" }] }, sandbox);
    const pushed = await pushInput(work);
    const reported = await work.migrate(["report", "--format", "ndjson"]);
    expect(reported.code).toBe(1);
    expect(reported.stdout).toBe(pushed.stdout);
    expect(reported.stderr).toMatch(/rejects were not written/i);

    const explained = await work.migrate(["explain", "BAD"]);
    expect(explained.code).toBe(0);
    expect(explained.stdout).toContain("invalid_choice");
    expect(explained.stdout).toMatch(/sources can no longer be read/);
  });
});

/** Writes 1,000 accounts, and a mapping whose function sends a signal to its own process, once, at record 700. */
function withTrap(signal: string): Workplace {
  const work = workplace({ accounts: goodAccounts(1_000) }, sandbox);
  writeFileSync(
    work.file("functions.mjs"),
    `import { execFileSync } from "node:child_process";
     import { existsSync, writeFileSync } from "node:fs";
     let calls = 0;
     export function trap(value) {
       calls += 1;
       if (calls === 700 && !existsSync("sprung")) {
         writeFileSync("sprung", "");
         execFileSync("kill", ["-s", "${signal.slice(3)}", String(process.pid)]);
       }
       return value;
     }`,
  );
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  writeFileSync(
    work.file("mapping.yaml"),
    mapping
      .replace("billing_name: NAME", "billing_name: { from: NAME, call: trap }")
      .replace("operation:", "functions: ./functions.mjs\noperation:"),
  );
  return work;
}

function copies(work: Workplace): readonly string[] {
  const folder = work.file(".migrate/input");
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  return entries.filter((entry) => statSync(path.join(folder, entry)).isFile());
}

async function pushInput(work: Workplace, flags: readonly string[] = []): ReturnType<Workplace["migrate"]> {
  return work.migrate([...FLAGS, ...flags], { input: readFileSync(work.file("accounts.csv")) });
}
