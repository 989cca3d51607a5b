import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedgerStore } from "../../src/ledger/open-ledger-store.ts";
import { item, planned, REFUSED, sendAll } from "../ledger/ledger-input.ts";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";

const { folder, remove } = createTestFolder();
afterAll(remove);
const ledger = join(folder, "ledger.db");

const problem = (attr: string) => ({ attr, severity: "error", by: "local", code: "required" }) as const;
const invalid = (...problems: readonly ReturnType<typeof problem>[]) => ({ status: "invalid", problems }) as const;

/**
 * Creates a ledger with a rejected record and with invalid records from two files. The causes of `BOTH` have two
 * owners.
 */
beforeAll(async () => {
  const open = await (await openLedgerStore(ledger)).write("push", { create: true });
  const run = { startedAt: "2026-11-01T08:00:00.000Z" };
  const mobile = problem("customers.3.mobile");
  const items = [
    item(1, "GOOD"),
    item(2, "MOBILE", "x", invalid(mobile)),
    item(3, "BOTH", "x", invalid(problem("name"), mobile)),
    item(4, "NORTH", "x", { ...invalid(problem("name")), file: "in/north-1.csv" }),
    item(5, "OTHER", "x", invalid(problem("name"))),
  ];
  await sendAll(open, await planned(open, items, { run }), "accepted");
  const late = { startedAt: "2026-11-02T08:00:00.000Z" };
  await sendAll(open, await planned(open, [item(1, "REFUSED")], { run: late }), "rejected", { problems: [REFUSED] });
  await open.close();
});

const OWNERS = `owners:
  - { owner: "=Contact data", address: contacts@example.com, days: 0, codes: [required], attrs: [customers.*.mobile] }
  - { owner: "Büro Nord/../東", files: [north-*.csv], days: 3650 }
  - { owner: Platform, statuses: [rejected] }
  - { owner: Data office, codes: [missing] }
  - { owner: Data office }
`;

function migrate(owners: string, ...words: readonly string[]): ReturnType<typeof runCli> {
  const files = { "migrate.yaml": `${owners}inventory: keys.txt\n`, "keys.txt": "GOOD\nNEW\n" };
  return runCli([...words, "--ledger", ledger, "--config", join(temporaryFolder(files), "migrate.yaml")]);
}

const EXPECTED = {
  REFUSED: "Platform",
  MOBILE: "=Contact data",
  BOTH: "=Contact data",
  NORTH: "Büro Nord/../東",
  OTHER: "Data office",
  NEW: "Data office",
};

test("open --format ndjson names the owner and the deadline of each record", async () => {
  const { code, stdout } = await migrate(OWNERS, "open", "--format", "ndjson");
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(code).toBe(3);
  expect(Object.fromEntries(records.map(({ key, owner }) => [key, owner.name]))).toEqual(EXPECTED);
  expect(records.find(({ key }) => key === "MOBILE").owner).toEqual({
    name: "=Contact data",
    address: "contacts@example.com",
    days: 0,
    due: "2026-11-01",
    overdue: true,
  });
  expect(records.find(({ key }) => key === "OTHER").owner).toEqual({ name: "Data office", overdue: false });
});

test("open shows the owner and marks overdue records, and cuts nothing in a pipe", async () => {
  const lines = (await migrate(OWNERS, "open")).stdout.split("\n");
  expect(lines[1]).toMatch(/^key +status +age +owner +place +cause$/);
  expect(lines.find((line) => line.startsWith("MOBILE"))).toMatch(/^MOBILE +invalid +\d+ d ! +=Contact data /);
  expect(lines.find((line) => line.startsWith("BOTH"))).toMatch(
    / a\.csv:4 +required name, required customers\.\*\.mobile$/,
  );
});

test("open --format csv adds the owner, and no cell is a formula", async () => {
  const [header, ...rows] = (await migrate(OWNERS, "open", "--format", "csv")).stdout.trimEnd().split("\n");
  expect(header).toBe("key,status,cause,since,age_days,file,line,run,target,supplier,owner,address,due");
  expect(rows.find((row) => row.startsWith("MOBILE"))).toMatch(/,"?'=Contact data"?,contacts@example.com,2026-11-01$/);
});

test("the records of all owners add up to the open records", async () => {
  const { stdout } = await migrate(OWNERS, "open", "--by", "owner", "--format", "ndjson");
  const groups = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(groups).toEqual(
    [
      { owner: "=Contact data", records: 2, overdue: 2, invalid: 2 },
      { owner: "Data office", records: 2, overdue: 0, invalid: 1, missing: 1 },
      { owner: "Büro Nord/../東", records: 1, overdue: 0, invalid: 1 },
      { owner: "Platform", records: 1, overdue: 0, rejected: 1 },
    ].toSorted((a, b) => b.records - a.records || (a.owner < b.owner ? -1 : 1)),
  );
  const text = (await migrate(OWNERS, "open", "--by", "owner")).stdout;
  expect(text).toMatch(/^owner +records +overdue +status\n/);
  expect(text).toMatch(/\n6 open records: 1 rejected, 4 invalid, 1 missing\n$/);
  const csv = (await migrate(OWNERS, "open", "--by", "owner", "--format", "csv")).stdout;
  expect(csv).toMatch(/^owner,records,overdue,outdated,[^]*"?'=Contact data"?,2,2,0,/);
});

test("open --by owner requires configured owners", async () => {
  const { code, stderr } = await migrate("", "open", "--by", "owner");
  expect([code, stderr]).toEqual([2, expect.stringContaining("--by owner needs `owners` in the configuration file")]);
});

test.each([
  ["owners: x\n", "1:1: owners: expected a list"],
  ["owners: []\n", "1:1: owners: expected at least one owner"],
  ["owners:\n  - { days: 3 }\n", "2:5: owners.0.owner: expected a string"],
  ["owners:\n  - { owner: A, code: [x] }\n", '2:17: unknown setting "owners.0.code"'],
  ["owners:\n  - { owner: A, days: -1 }\n", "2:17: owners.0.days"],
  ["owners:\n  - { owner: A, statuses: [done] }\n", "2:28: owners.0.statuses.0: expected one of outdated, existing"],
  ["owners:\n  - { owner: A, codes: [x] }\n", "2:7: owners.0.owner: the last owner must have no conditions"],
  ["owners:\n  - { owner: A, columns: { X: y } }\n", "2:28: owners.0.columns.X: expected a list"],
  ["owners:\n  - { owner: A, columns: { X: [1] } }\n", "2:32: owners.0.columns.X.0: expected a string"],
  ["owners:\n  - { owner: A, columns: {} }\n", "2:17: owners.0.columns: expected at least one column"],
  ["owners:\n  - { owner: A, columns: { X: [y] } }\n", "2:7: owners.0.owner: the last owner must have no conditions"],
  [
    "owners:\n  - { owner: A }\n  - { owner: B }\n",
    "2:7: owners.0.owner: this owner has no conditions and matches every record",
  ],
])("%j is refused with line and column", async (owners, message) => {
  const { code, stderr } = await migrate(owners, "open");
  expect(code).toBe(2);
  expect(stderr).toContain(`migrate.yaml:${message}`);
});
