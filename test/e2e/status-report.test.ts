import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { goodAccounts, outcomeLines, statusCounts, useSandbox, type Workplace, workplace } from "./push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const { sandbox, admin } = useSandbox();

/** Writes two valid accounts, an account that the platform rejects, and an invalid account. */
function mixedWork(): Workplace {
  return workplace(
    {
      accounts: [{ REF: "A" }, { REF: "B" }, { REF: "PHONE" }, { REF: "TYPE", TYPE: "X" }],
      customers: [
        { REF: "A" },
        { REF: "B" },
        { REF: "PHONE", FIRST: "Zebedee", MOBILE: "0400 777888" },
        { REF: "TYPE" },
      ],
    },
    sandbox,
  );
}

describe("status", () => {
  test("lists the runs, the latest first, with the outcomes of their records", async () => {
    const work = mixedWork();
    await work.push(["--dry-run"]);
    await work.push();
    const { code, stdout } = await work.migrate(["status"]);
    expect(code).toBe(0);
    const [migration, , title, , latest, first] = stdout.split("\n").filter((line) => !line.startsWith(" "));
    expect(migration).toMatch(/^Migration to 127\.0\.0\.1:\d+, supplier SANDBOX, import-account$/);
    expect(title).toMatch(/^Runs against 127\.0\.0\.1:\d+, latest first$/);
    expect(latest).toMatch(/complete \(1\).* 4 /);
    expect(first).toContain("dry run");
    const data: { runs: { id: string; exitCode: number; running: boolean; summary: object }[] } = JSON.parse(
      (await work.migrate(["status", "--format", "json"])).stdout,
    );
    expect(data.runs).toHaveLength(2);
    expect(data.runs[0]).toMatchObject({
      exitCode: 1,
      running: false,
      dryRun: false,
      supplier: "SANDBOX",
      summary: { records: 4, accepted: 2, rejected: 1, invalid: 1 },
    });
  });

  test("shows one run by a prefix of its id, and refuses a prefix that matches no run or several runs", async () => {
    const work = mixedWork();
    await work.push();
    await work.push();
    const { runs }: { runs: { id: string }[] } = JSON.parse(
      (await work.migrate(["status", "--format", "json"])).stdout,
    );
    const id = runs[1]?.id ?? "";
    const one = await work.migrate(["status", id, "--format", "json"]);
    expect(JSON.parse(one.stdout)).toMatchObject({ runs: [{ id }] });
    expect((await work.migrate(["status", "1999"])).code).toBe(2);
    const several = await work.migrate(["status", "20"]);
    expect(several.code).toBe(2);
    expect(several.stderr).toContain("several runs");
  });

  test("creates no ledger", async () => {
    const work = mixedWork();
    const { code, stderr } = await work.migrate(["status"]);
    expect(code).toBe(2);
    expect(stderr).toContain("no ledger");
    expect(readdirSync(work.folder)).not.toContain(".migrate");
  });
});

describe("report", () => {
  test.each([["text"], ["json"], ["ndjson"], ["csv"], ["junit"], ["github"]])(
    "as %s has the same output and files as the push, without contacting the platform",
    async (format) => {
      const work = mixedWork();
      const first = await work.push(["--format", format, "--out", "report"]);
      const files = read(work, "report");
      await admin.reset();
      const again = await work.migrate(["report", "--format", format, "--out", "again"]);
      expect(again.stdout).toBe(first.stdout);
      expect(again.code).toBe(first.code);
      expect(read(work, "again")).toEqual(files);
      expect(await admin.history()).toEqual([]);
    },
  );

  test("contains every documented file, readable only by its owner", async () => {
    const work = mixedWork();
    const { stdout } = await work.push(["--out", "report"]);
    expect(readdirSync(work.file("report")).toSorted()).toEqual([
      "errors.csv",
      "outcomes.ndjson",
      "rejects.csv",
      "rejects.customers.csv",
      "rejects.fingerprints",
      "rejects.json",
      "report.html",
      "summary.json",
    ]);
    for (const name of readdirSync(work.file("report"))) {
      expect(statSync(work.file("report", name)).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(work.file("report/outcomes.ndjson"), "utf8")).toBe(stdout);
    expect(JSON.parse(readFileSync(work.file("report/summary.json"), "utf8"))).toMatchObject({
      records: 4,
      pending: 0,
      ...statusCounts(outcomeLines(stdout)),
      errors: { invalid_choice: 1, invalid_phone_number: 1 },
      exitCode: 1,
    });
  });

  test("omits the rejects if the extract has changed since the run, and reports the omission", async () => {
    const work = mixedWork();
    const first = await work.push();
    rmSync(work.file("customers.csv"));
    const { code, stdout, stderr } = await work.migrate(["report", "--format", "ndjson", "--out", "again"]);
    expect(code).toBe(1);
    expect(stdout).toBe(first.stdout);
    expect(stderr).toMatch(/rejects were not written/i);
    expect(readdirSync(work.file("again")).toSorted()).toEqual([
      "errors.csv",
      "outcomes.ndjson",
      "report.html",
      "summary.json",
    ]);
  });
});

describe("explain", () => {
  test("shows the errors and attempts of one record, and its values only with --show-values", async () => {
    const work = mixedWork();
    await work.push();
    await work.push();
    const { code, stdout } = await work.migrate(["explain", "PHONE"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^rejected/m);
    expect(stdout).toMatch(/customers\.0\.mobile +invalid_phone_number/);
    expect(stdout).toContain("customers.csv:4");
    expect(stdout.match(/rejected +400/g)).toHaveLength(2);
    expect(stdout).not.toMatch(/777888|Zebedee/);
    const shown = await work.migrate(["explain", "PHONE", "--show-values"]);
    expect(shown.stdout).toContain("0400 777888");
    expect(shown.stdout).toContain("Zebedee");
  });

  test("shows the outcome, attempts and origins of one record as JSON", async () => {
    const work = mixedWork();
    await work.push();
    const { stdout } = await work.migrate(["explain", "A", "--format", "json"]);
    const exported: { outcomes: object[]; attempts: object[]; records: { origins: object[]; payload?: object }[] } =
      JSON.parse(stdout);
    const held = (await admin.accounts()).find(({ key }) => key === "A");
    expect(exported.outcomes).toMatchObject([{ status: "accepted", account: held?.number }]);
    expect(exported.attempts).toMatchObject([{ attempt: 1, status: "accepted", http: 201, errors: [] }]);
    expect(exported.records[0]?.payload).toBeUndefined();
    const origins = exported.records[0]?.origins ?? [];
    expect(origins).toContainEqual({
      attr: "customers.0.given_name",
      from: "column",
      place: { file: "customers.csv", line: 2, column: "FIRST", columnNumber: 3 },
      shape: "Aa{4}",
    });
  });

  test("shows the record of the requested run if two runs have it", async () => {
    const work = mixedWork();
    await work.push();
    await work.push();
    const { runs }: { runs: { id: string }[] } = JSON.parse(
      (await work.migrate(["status", "--format", "json"])).stdout,
    );
    const [latest, first] = runs.map(({ id }) => id);
    expect((await work.migrate(["explain", "A"])).stdout).toMatch(/^skipped/m);
    expect((await work.migrate(["explain", "A", "--run", first ?? ""])).stdout).toMatch(/^accepted/m);
    expect(latest).not.toBe(first);
  });

  test("finds a record in the previous run if the latest run does not contain it", async () => {
    const work = mixedWork();
    await work.push();
    await work.push(["--only", "PHONE"]);
    expect((await work.migrate(["explain", "A"])).stdout).toMatch(/^accepted, account .*:2$/m);
  });

  test("reports an unknown key", async () => {
    const work = mixedWork();
    await work.push();
    const { code, stderr } = await work.migrate(["explain", "NOBODY"]);
    expect(code).toBe(2);
    expect(stderr).toContain("no run has a record with this key");
  });

  test("suggests a record whose key is similar to the unknown key", async () => {
    const work = workplace({ accounts: [{ REF: "00000003" }] }, sandbox);
    await work.push();
    const { code, stderr } = await work.migrate(["explain", "3"]);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "00000003"?');
  });

  test("finds a record in a changed extract by its key, not by its line", async () => {
    const work = workplace({ accounts: [{ REF: "A" }, { REF: "B" }] }, sandbox);
    await work.push();
    const [header = "", ...rows] = readFileSync(work.file("accounts.csv"), "utf8").trimEnd().split("\n");
    writeFileSync(work.file("accounts.csv"), [header, ...rows.toReversed(), ""].join("\n"));
    const { stdout } = await work.migrate(["explain", "A"]);
    expect(stdout).toMatch(/^Rows\n {2}accounts\.csv:3$/m);
  });

  test("states that rows and payload may differ from the run if the extract has changed", async () => {
    const work = workplace({ accounts: [{ REF: "A" }, { REF: "B" }] }, sandbox);
    await work.push();
    const unchanged = await work.migrate(["explain", "A"]);
    expect(unchanged.stdout).not.toContain("has changed");
    const rows = readFileSync(work.file("accounts.csv"), "utf8").split("\n");
    writeFileSync(work.file("accounts.csv"), rows.filter((row) => !row.startsWith("B,")).join("\n"));
    const changed = "Since the run began, the input accounts.csv has changed. ";
    const { stdout } = await work.migrate(["explain", "A"]);
    expect(stdout).toContain(`${changed}The rows and the payload below may differ from those of the run.\n\nRows\n`);
    const gone = await work.migrate(["explain", "B"]);
    expect(gone.stdout).toContain(`${changed}The current files contain no record with this key.`);
    const data: object = JSON.parse((await work.migrate(["explain", "A", "--format", "json"])).stdout);
    expect(data).toMatchObject({ changedInputs: [{ file: "accounts.csv", isGone: false }] });
  });

  test("continues without the extract, and reports that it is missing", async () => {
    const work = mixedWork();
    await work.push();
    rmSync(work.file("accounts.csv"));
    const { code, stdout } = await work.migrate(["explain", "PHONE"]);
    expect(code).toBe(0);
    expect(stdout).toContain("invalid_phone_number");
    expect(stdout).toMatch(/sources can no longer be read/);
  });
});

function read(work: Workplace, folder: string): ReadonlyMap<string, string> {
  return new Map(readdirSync(work.file(folder)).map((name) => [name, readFileSync(work.file(folder, name), "utf8")]));
}

test("a report from another folder has the same files as a report from the folder of the push", async () => {
  const work = mixedWork();
  await work.push();
  await work.migrate(["report", "--out", "here"]);
  const elsewhere = { cwd: temporaryFolder() };
  const ledger = work.file(".migrate/ledger.db");
  const { code, stderr } = await work.migrate(["report", "--ledger", ledger, "--out", work.file("there")], elsewhere);
  expect([code, stderr]).toEqual([1, expect.not.stringContaining("no longer where it was")]);
  for (const name of ["rejects.csv", "errors.csv"])
    expect(read(work, "there").get(name)).toBe(read(work, "here").get(name));
});

test("a report during a push is a consistent snapshot: its counts add up", async () => {
  const work = workplace({ accounts: goodAccounts(300) }, sandbox);
  await admin.faults({ latencyMs: [20, 60] });
  const pushing = work.startPush(["--concurrency", "8"]);
  while ((await admin.imports()).length < 20) await delay(20);
  const { code, stdout, stderr } = await work.migrate(["report", "--format", "ndjson", "--out", "during"]);
  pushing.kill("SIGINT");
  await pushing.ended;
  expect(stderr).not.toContain("bug");
  expect(code).not.toBe(70);
  expect(outcomeLines(stdout)).toHaveLength(300);
});
