import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  POSTGRES_IS_HERE,
  type PostgresCluster,
  SKIPPED_WITHOUT_POSTGRES,
  startPostgres,
} from "../ledger/postgres/cluster.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import type { CliEnd } from "./cli.ts";
import { CONTRACT, latestRun, useSandbox, type Workplace, workplace, writeExtract } from "./push-scene.ts";
import { readRejects, save } from "./rejects-scene.ts";

const { sandbox } = useSandbox();

const OWNERS = `owners:
  - { owner: North, days: 5, columns: { ADDRESS: ["* Northgate*"] } }
  - { owner: Old system, codes: [invalid_choice], columns: { customers.LAST: [Legacy] } }
  - { owner: Orphans, columns: { customers.FIRST: [Nobody] } }
  - { owner: Rest }
`;

const EXTRACT = {
  accounts: [
    { REF: "K1" },
    { REF: "K2", TYPE: "?", ADDRESS: "1 Northgate" },
    { REF: "K3", TYPE: "?" },
    { REF: "K4", TYPE: "?", ADDRESS: "2 Southgate" },
    { REF: "K5", POSTCODE: "", ADDRESS: "3 Northgate, Leeds" },
    { REF: "K6", POSTCODE: "" },
  ],
  customers: [
    ...["K1", "K2", "K3", "K4", "K5", "K6"].map((REF) => ({ REF })),
    ...["K2", "K4", "K6"].map((REF) => ({ REF, SEQ: "2", LAST: "Legacy" })),
    { REF: "K9", FIRST: "Nobody" },
  ],
};

const EXPECTED = { K2: "North", K3: "Rest", K4: "Old system", K5: "North", K6: "Rest", "-": "Orphans" };

async function pushed(owners: string = OWNERS, env: Readonly<Record<string, string>> = {}): Promise<Workplace> {
  const work = workplace(EXTRACT, { env: { ...sandbox.env, ...env } });
  writeFileSync(work.file("migrate.yaml"), owners);
  expect((await work.push(["--out", "report"])).code).toBe(1);
  return work;
}

interface OpenLine {
  readonly key?: string;
  readonly owner: { readonly name: string };
}

function ownersIn({ stdout }: Pick<CliEnd, "stdout">): Readonly<Record<string, string>> {
  const lines = stdout.split("\n").filter((line) => line !== "");
  const records = lines.map((line): OpenLine => JSON.parse(line));
  return Object.fromEntries(records.map(({ key = "-", owner }) => [key, owner.name]));
}

const open = (work: Workplace, ...words: readonly string[]): Promise<CliEnd> =>
  work.migrate(["open", "--format", "ndjson", ...words]);

/** Returns the number of records by owner. */
function countsOf(expected: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const owner of Object.values(expected)) counts[owner] = (counts[owner] ?? 0) + 1;
  return counts;
}

/**
 * Returns the number of open records by owner, as `open` and `status` count them, and the owners in the migration
 * report.
 */
async function countedEverywhere(work: Workplace): Promise<readonly unknown[]> {
  const groups = (await open(work, "--by", "owner")).stdout.trimEnd().split("\n");
  const status = await work.migrate(["status", "--by", "owner", "--format", "json"]);
  const report = await work.migrate(["report", "--all", "--format", "json", "--out", "whole"]);
  const { owners }: { owners: readonly { owner: string; open: number }[] } = JSON.parse(status.stdout);
  const { open: causes }: { open: readonly { owner: string }[] } = JSON.parse(report.stdout);
  return [
    Object.fromEntries(groups.map((line) => JSON.parse(line)).map(({ owner, records }) => [owner, records])),
    Object.fromEntries(owners.filter((each) => each.open > 0).map((each) => [each.owner, each.open])),
    [...new Set(causes.map(({ owner }) => owner))].toSorted(),
  ];
}

function expectedEverywhere(expected: Readonly<Record<string, string>>): readonly unknown[] {
  const counts = countsOf(expected);
  return [counts, counts, Object.keys(counts).toSorted()];
}

test("open finds owners by the cells of the record and of its joined rows", async () => {
  const work = await pushed();
  const { code, stdout, stderr } = await open(work);
  expect([code, stderr]).toEqual([1, ""]);
  expect(ownersIn({ stdout })).toEqual(EXPECTED);
  expect(await countedEverywhere(work)).toEqual(expectedEverywhere(EXPECTED));
  const text = await work.migrate(["open"]);
  expect(text.stdout).toMatch(/^K2 +invalid +0 d +North /m);
});

test("no cell that a rule compares appears in the output, the ledger or the report", async () => {
  const work = await pushed();
  await countedEverywhere(work);
  const shown = await open(work);
  const stored = readdirSync(work.file(".migrate"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, "latin1"));
  const whole = readdirSync(work.file("whole")).map((name) => readFileSync(work.file("whole", name), "latin1"));
  for (const text of [shown.stdout, ...stored, ...whole]) expect(text).not.toMatch(/Northgate|Legacy/);
});

test("report --by-owner writes the records of each owner to its folder", async () => {
  const work = await pushed();
  const { code, stdout, stderr } = await work.migrate(["report", "--by-owner", "--format", "json"]);
  expect([code, stderr]).toEqual([1, ""]);
  const { packages }: { packages: readonly { owner: string; records: number; folder: string; due?: string }[] } =
    JSON.parse(stdout);
  expect(Object.fromEntries(packages.map(({ owner, records }) => [owner, records]))).toEqual(countsOf(EXPECTED));
  expect(packages.find(({ owner }) => owner === "North")?.due).toMatch(/^\d{4}-\d\d-\d\d$/);
  const keys = readRejects(work, "rejects.csv", "report/North").map(({ REF }) => REF);
  expect(keys).toEqual(["K2", "K5"]);
});

describe("if a run's input cannot be read again,", () => {
  const lost = { K2: "Rest", K3: "Rest", K4: "Rest", K5: "Rest", K6: "Rest", "-": "Rest" };

  test.each<[string, (file: string) => void]>([
    ["no longer exists", (file) => rmSync(file)],
    ["has changed", (file) => appendFileSync(file, "\n")],
  ])(
    "because the file %s, the later rules determine the owners, and a single notice gives the reason",
    async (why, change) => {
      const work = await pushed();
      change(work.file("accounts.csv"));
      const run = await latestRun(work);
      const end = await open(work);
      expect([end.code, ownersIn(end)]).toEqual([1, lost]);
      expect(end.stderr).toMatch(
        new RegExp(
          `^Run ${run}: \`owners\` rules that use \`columns\` do not apply to 6 records: since the run began, the input .*accounts\\.csv ${why}$`,
          "m",
        ),
      );
      expect(end.stderr.match(/columns/g)).toHaveLength(1);
      expect(await countedEverywhere(work)).toEqual(expectedEverywhere(lost));
    },
  );

  test("its records do not affect the owners of records from other runs", async () => {
    const work = await pushed();
    renameSync(work.file("accounts.csv"), work.file("first.csv"));
    // After a push of a new `customers.csv`, the customer without an account is no longer open.
    const { "-": _orphan, ...records } = lost;
    writeExtract(work.folder, {
      accounts: [
        { REF: "L1", TYPE: "?", ADDRESS: "4 Northgate" },
        { REF: "K3", TYPE: "?", ADDRESS: "5 Northgate" },
      ],
    });
    await work.push();
    const { stdout, stderr } = await open(work);
    expect(ownersIn({ stdout })).toEqual({ ...records, L1: "North", K3: "North" });
    expect(stderr.match(/do not apply to 4 records/g)).toHaveLength(1);
  });

  test("no notice is printed for commands and rules that do not need the cells", async () => {
    const work = await pushed("owners:\n  - { owner: A, statuses: [invalid] }\n" + OWNERS.slice("owners:\n".length));
    rmSync(work.file("accounts.csv"));
    const all = await open(work);
    expect([all.stderr, new Set(Object.values(ownersIn(all)))]).toEqual(["", new Set(["A"])]);
    writeFileSync(work.file("migrate.yaml"), OWNERS);
    expect((await open(work, "--by", "cause")).stderr).toBe("");
    expect((await work.migrate(["status", "--by", "cause"])).stderr).toBe("");
  });
});

test("the cells of re-imported rejects determine the owner, not the cells of the extract", async () => {
  const work = await pushed();
  const rows = readRejects(work, "rejects.csv").map((row) =>
    row["REF"] === "K3" ? { ...row, ADDRESS: "6 Northgate" } : row,
  );
  save(work, "rejects.csv", rows);
  expect((await work.migrate(["push", "--rejects", "report", "--accept-changes"])).code).toBe(1);
  const end = await open(work);
  expect(end.stderr).toBe("");
  expect(ownersIn(end)).toMatchObject({ K2: "North", K3: "North", K4: "Old system" });
});

test("rules apply to the corrected values of cells", async () => {
  const work = await pushed();
  const config = `contract: ${CONTRACT}\nmapping: mapping.yaml\ncorrections: fixes.csv\n`;
  writeFileSync(work.file("migrate.yaml"), config + OWNERS);
  const { code } = await work.migrate(["corrections", "add", "K3", "ADDRESS", "7 Northgate", "--reason", "moved"]);
  expect(code).toBe(0);
  await work.push();
  expect(ownersIn(await open(work))).toEqual({ ...EXPECTED, K3: "North" });
});

test("doctor names the columns that no source has", async () => {
  const work = workplace(EXTRACT, sandbox);
  const config = `contract: ${CONTRACT}\nmapping: mapping.yaml\n`;
  writeFileSync(work.file("migrate.yaml"), config + OWNERS);
  const fine = await work.migrate(["doctor", "--offline"]);
  expect(fine.stdout).toMatch(/^✓ owners +columns ADDRESS, customers\.LAST, customers\.FIRST$/m);
  writeFileSync(work.file("migrate.yaml"), config + OWNERS.replace("customers.LAST", "customer.LAST"));
  const wrong = await work.migrate(["doctor", "--offline", "--format", "json"]);
  const { checks }: { checks: readonly { name: string }[] } = JSON.parse(wrong.stdout);
  expect(checks.find(({ name }) => name === "owners")).toMatchObject({
    status: "warning",
    text: 'no source has the column "customer.LAST", so the rules that use it match no record in this input',
    fix: 'did you mean "customers.LAST"?',
  });
});

describe.skipIf(!POSTGRES_IS_HERE)(`with a ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES},`, () => {
  let server: PostgresCluster;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test("the owners are the same as with a ledger in a file", async () => {
    process.env["XDG_STATE_HOME"] = temporaryFolder();
    const MIGRATE_LEDGER = await server.createDatabase("migrate_test_owner_columns");
    const work = await pushed(OWNERS, { MIGRATE_LEDGER });
    expect(ownersIn(await open(work))).toEqual(EXPECTED);
    expect(await countedEverywhere(work)).toEqual(expectedEverywhere(EXPECTED));
    expect((await work.migrate(["report", "--by-owner"])).code).toBe(1);
  });
});
