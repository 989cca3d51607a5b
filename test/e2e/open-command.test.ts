import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerStore } from "../../src/ledger/open-ledger-store.ts";
import { item, planned, REFUSED, sendAll } from "../ledger/ledger-input.ts";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";

const missing = { attr: "customers.1.name", severity: "error", by: "local", code: "required" } as const;
const bad = { status: "invalid", problems: [missing] } as const;

/**
 * A ledger of three runs. The first run has 600 invalid records, the second run has a rejected record, and the third
 * run changes an accepted record.
 */
const { folder, remove } = createTestFolder();
afterAll(remove);
const ledger = join(folder, "ledger.db");
let latest = "";
beforeAll(async () => {
  const open = await (await openLedgerStore(ledger)).write("push", { create: true });
  const many = Array.from({ length: 600 }, (_, index) => item(index + 3, `BAD-${index}`, "x", bad));
  await sendAll(open, await planned(open, [item(1, "GOOD"), item(2, "=CHANGED"), ...many]), "accepted");
  const run = { startedAt: "2026-11-22T08:00:00.000Z" };
  await sendAll(open, await planned(open, [item(1, "REFUSED")], { run }), "rejected", { problems: [REFUSED] });
  latest = await planned(open, [item(1, "=CHANGED", "new", { file: "b.csv" })], { run });
  await open.close();
});

const migrate = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { code, stdout, stderr } = await runCli(["open", "--ledger", ledger, ...words]);
  expect([code, stderr]).toEqual([1, ""]);
  return stdout.trimEnd().split("\n");
};

test("open lists every record that is not done, the latest run first, within 80 columns, and exits with 1", async () => {
  const lines = await migrate();
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.slice(0, 3)).toEqual([
    `Run ${latest}, platform.example/v1/, supplier ACME`,
    expect.stringMatching(/^key +status +age +place +cause$/),
    expect.stringMatching(/^=CHANGED +out of date +\d+ d +b\.csv:2 +unique external_account_number$/),
  ]);
  expect(lines.filter((line) => line.startsWith("BAD-"))).toHaveLength(600);
  expect(lines.at(-1)).toBe("602 open records: 1 out of date, 1 rejected, 600 invalid");
});

test("open --format ndjson writes one JSON object for each record", async () => {
  const records = (await migrate("--format", "ndjson")).map((line): unknown => JSON.parse(line));
  expect(records).toHaveLength(602);
  expect(records.slice(0, 3)).toEqual([
    {
      key: "=CHANGED",
      status: "outdated",
      causes: [{ code: "unique", attr: "external_account_number" }],
      since: "2026-11-22T08:00:00.000Z",
      ageDays: expect.any(Number),
      source: { file: "b.csv", line: 2 },
      run: latest,
      target: "platform.example/v1/",
      supplier: "ACME",
    },
    expect.objectContaining({ key: "REFUSED", status: "rejected" }),
    expect.objectContaining({ key: "BAD-0", causes: [{ code: "required", attr: "customers.*.name" }] }),
  ]);
});

test("open --format csv writes no cell that a spreadsheet would evaluate as a formula", async () => {
  const [header, first, ...rest] = await migrate("--format", "csv");
  expect(header).toBe("key,status,cause,since,age_days,file,line,run,target,supplier");
  expect(first).toMatch(
    /^'?"?'=CHANGED"?,outdated,unique external_account_number,2026-11-22T08:00:00.000Z,\d+,b.csv,2,/,
  );
  expect(rest).toHaveLength(601);
});

test("open --since shows only records that have been open since that day or later", async () => {
  expect((await migrate("--since", "2026-11-21", "--format", "ndjson")).map((line) => JSON.parse(line).key)).toEqual([
    "=CHANGED",
    "REFUSED",
  ]);
});

test.each([
  ["cause", ["required customers.*.name", "invalid_phone_number customers.0.mobile", "unique external_account_number"]],
  ["file", ["a.csv", "b.csv"]],
  ["day", ["2026-11-20", "2026-11-22"]],
])("open --by %s counts records", async (by, names) => {
  const groups = (await migrate("--by", by, "--format", "ndjson")).map((line) => JSON.parse(line));
  expect(groups.map((group) => group[by].replace(".0.", ".*."))).toEqual(
    names.map((name) => name.replace(".0.", ".*.")),
  );
  expect(groups.reduce((sum, { records }) => sum + records, 0)).toBe(602);
  const text = await migrate("--by", by);
  expect(text[0]).toMatch(new RegExp(`^${by} +records +status$`));
  expect(text.at(-1)).toMatch(/^602 open records/);
  expect((await migrate("--by", by, "--format", "csv"))[0]).toBe(
    `${by},records,outdated,existing,rejected,invalid,ambiguous,pending,missing`,
  );
});

test("report --all writes the state of the whole migration next to the ledger", async () => {
  const { code, stdout } = await runCli(["report", "--all", "--ledger", ledger]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/: 1 of 603 records on the platform with the latest content\nReport /),
  ]);
  const written = join(dirname(ledger), "migration");
  const { open } = JSON.parse(readFileSync(join(written, "migration.json"), "utf8"));
  expect(open[0]).toMatchObject({ cause: "required customers.*.name", owner: "", records: 600 });
  expect(readFileSync(join(written, "migration.html"), "utf8")).toContain("required customers.*.name");
});

test.each([
  [["20261101"], "--all cannot be combined with a run"],
  [["--format", "csv"], "--all cannot be shown as csv"],
  [["--by-owner"], "cannot be used with"],
])("report --all %j is refused", async (args, message) => {
  const { code, stderr } = await runCli(["report", "--all", "--ledger", ledger, ...args]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test("report --all prints text if MIGRATE_FORMAT is a format that only reports of runs support", async () => {
  const { code, stdout } = await runCli(["report", "--all", "--ledger", ledger], { env: { MIGRATE_FORMAT: "ndjson" } });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/ on the platform with the latest content\nReport /)]);
});

test("status with --by and --since prints the same counts as open", async () => {
  const status = ["status", "--ledger", ledger, "--by", "cause"];
  const counted = await runCli([...status, "--since", "2026-11-21"]);
  expect([counted.code, counted.stdout.trimEnd().split("\n").at(-1)]).toEqual([
    0,
    "2 open records: 1 out of date, 1 rejected",
  ]);
  const { groups } = JSON.parse((await runCli([...status, "--format", "json"])).stdout);
  expect(groups[0]).toEqual({ cause: "required customers.*.name", records: 600, invalid: 600 });
  const unclear = await runCli(["status", "--ledger", ledger, "--since", "2026-11-21"]);
  expect([unclear.code, unclear.stderr]).toEqual([2, expect.stringContaining("--since needs --by")]);
});

test("status shows the state of the migration first", async () => {
  const { stdout } = await runCli(["status", "--ledger", ledger]);
  expect(stdout.split("\n").slice(0, 7)).toEqual([
    "Migration to platform.example/v1/, supplier ACME, POST /data-import/accounts/",
    "  seen         603",
    "  accepted       1  < 1%",
    "  out of date    1  < 1%",
    "  rejected       1  < 1%",
    "  invalid      600  99%",
    "",
  ]);
  const { migration } = JSON.parse((await runCli(["status", "--ledger", ledger, "--format", "json"])).stdout);
  expect(migration).toMatchObject([
    { supplier: "ACME", records: 603, withoutKey: 0, counts: { outdated: 1, pending: 0 } },
  ]);
});

test("open exits with 0 if every record is done", async () => {
  const done = join(temporaryFolder(), "ledger.db");
  const open = await (await openLedgerStore(done)).write("push", { create: true });
  await sendAll(open, await planned(open, [item(1, "GOOD")]), "accepted");
  await open.close();
  expect(await runCli(["open", "--ledger", done])).toMatchObject({ code: 0, stdout: "No records are open\n" });
});
