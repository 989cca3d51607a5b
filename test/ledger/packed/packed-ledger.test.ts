import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExcludedRow, PlannedItem, PlanPolicy } from "../../../src/ledger/records/planned-item.ts";
import type { PlanLedger } from "../../../src/ledger/packed/plan-ledger.ts";
import { columnsIn } from "../../../src/ledger/packed/item-columns.ts";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import { openPackedLedger, type PackedLedger, type UnsentRun } from "../../../src/ledger/packed/packed-ledger.ts";
import { openTemporaryLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { STATUSES } from "../../../src/model/outcome.ts";
import type { Problem } from "../../../src/model/problem.ts";
import { reporters } from "../../../src/report/formats/reporters.ts";
import { type Report, summaryJson } from "../../../src/report/report.ts";
import { campaignCases, campaignSize } from "../../campaign.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const RUN: UnsentRun = {
  command: "validate",
  target: "",
  supplier: "",
  operation: "import-thing",
  endpoint: "",
  settings: {},
  dryRun: false,
  startedAt: "2026-11-20T23:41:07.000Z",
};

const POLICY: PlanPolicy = {
  revise: false,
  resendAmbiguous: false,
  keyAttr: "ref",
  fileCells: new Map([["a.csv", { key: [{ column: "REF", columnNumber: 2 }], asOf: [] }]]),
};

/** The plan of a run, in batches; each batch is one call. */
interface Plan {
  readonly batches: readonly (readonly PlannedItem[])[];
  readonly excluded: readonly ExcludedRow[];
  readonly isFinished: boolean;
}

const item = (record: number, key: string | undefined, more: Partial<PlannedItem> = {}): PlannedItem => ({
  record,
  key,
  identity: undefined,
  content: 1,
  file: "a.csv",
  line: record + 1,
  status: "valid",
  problems: [],
  ...more,
});

const problemOf = (code: string, severity: "error" | "warning", unlisted?: number): Problem => ({
  attr: "customers.0.näme",
  code,
  severity,
  by: "platform",
  detail: "not \u2028 so",
  place: { file: "b.csv", line: 7, column: "N", columnNumber: 1 },
  shape: "A9{5}",
  value: "secret",
  ...(unlisted !== undefined && { unlisted }),
});

/** Keys that are easily confused. They occur often, so that drawn records share keys. */
const NEAR_KEYS = [
  "A",
  "a",
  " a",
  "A ",
  "7",
  "07",
  "007",
  "7.0",
  "1E3",
  "1000",
  "１２３",
  "123",
  "É",
  "é",
  "e\u0301",
  "",
];
/** Keys that need escapes in JSON, or that contain invisible characters or surrogate pairs. */
const ODD_KEYS = ['q"', "b\\", "\u200b", "😀", "\ufeffA", "\t"];
const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NEAR_KEYS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_KEYS) },
  { weight: 2, arbitrary: fc.nat(1000).map((number) => `EXT-${number}`) },
);
const problem = fc
  .tuple(
    fc.constantFrom("required", "invalid", "älter"),
    fc.constantFrom("error", "warning"),
    fc.constantFrom(undefined, 3),
  )
  .map(([code, severity, unlisted]) => problemOf(code, severity, unlisted));

const content = fc.option(fc.constantFrom(1, 1, 2), { nil: undefined, freq: 8 });
const planned = fc.record({
  key: fc.option(key, { nil: undefined, freq: 12 }),
  content,
  file: fc.constantFrom("a.csv", "a.csv", "b.csv"),
  line: fc.integer({ min: 1, max: 20 }),
  status: fc.constantFrom<PlannedItem["status"]>("valid", "valid", "valid", "invalid"),
  problems: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(problem, { maxLength: 3 }) },
  ),
  /** The number of preceding records that `--only` excludes. */
  gap: fc.constantFrom(0, 0, 0, 5),
});

const excludedRow = fc.record({
  file: fc.constantFrom("a.csv", "b.csv", "c.csv"),
  line: fc.integer({ min: 1, max: 20 }),
  record: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  problem,
});

const plan: fc.Arbitrary<Plan> = fc
  .tuple(
    fc.array(fc.array(planned, { maxLength: 12 }), { maxLength: 6 }),
    fc.array(excludedRow, { maxLength: 3 }),
    fc.constantFrom(true, true, true, false),
  )
  .map(([batches, excluded, isFinished]) => {
    let record = 0;
    const numbered = batches.map((batch) =>
      batch.map(({ gap, ...more }) => {
        record += 1 + gap;
        return item(record, more.key, more);
      }),
    );
    return { batches: numbered, excluded, isFinished };
  });

async function carriedOut(ledger: PlanLedger, run: string, { batches, excluded, isFinished }: Plan): Promise<void> {
  for (const batch of batches) await ledger.plan(run, packItems(batch));
  await ledger.exclude(run, excluded);
  if (isFinished) await ledger.finishPlan(run, POLICY);
}

/** Returns every query result and every report of a run as text. */
async function planEntries(ledger: PlanLedger, run: string): Promise<readonly string[]> {
  const texts = [summaryJson(await ledger.summary(run))];
  for (const statuses of [undefined, ...STATUSES.map((status) => [status]), ["invalid", "duplicate"] as const]) {
    for await (const batch of ledger.outcomes(run, statuses && { statuses })) {
      texts.push(...batch.map((outcome) => JSON.stringify(outcome)));
    }
    texts.push(`end of ${statuses?.join() ?? "all"}`);
  }
  return [...texts, ...(await rendered(ledger, run))];
}

async function rendered(ledger: PlanLedger, run: string): Promise<readonly string[]> {
  const report: Report = {
    summary: await ledger.summary(run),
    outcomes: (statuses) => ledger.outcomes(run, statuses && { statuses }),
    ...(ledger.outcomesInColumns && { inColumns: ledger.outcomesInColumns.bind(ledger, run) }),
    showValues: false,
    colour: false,
    width: 80,
    title: "validate a.csv",
  };
  const texts: string[] = [];
  for (const format of ["ndjson", "json", "csv", "junit", "github", "text"] as const) {
    const pieces: Buffer[] = [];
    await reporters[format](report, (piece) => {
      pieces.push(Buffer.from(piece));
    });
    texts.push(Buffer.concat(pieces).toString());
  }
  return texts;
}

/** Limits that keep as little as possible in memory: everything else is in a file. */
const SPILLING = { bytes: 0, sortedItems: 3 };

/** Returns a ledger in which every key has the same mark. */
function withEqualMarks(ledger: PackedLedger): PackedLedger {
  return {
    ...ledger,
    plan: (run, packed) => {
      const { marks } = columnsIn(packed.columns);
      for (const [index, mark] of marks.entries()) if (!Number.isNaN(mark)) marks[index] = 7;
      return ledger.plan(run, packed);
    },
  };
}

async function inPackedLedger(
  wanted: Plan,
  { limits, hasEqualMarks = false }: { readonly limits?: typeof SPILLING; readonly hasEqualMarks?: boolean } = {},
): Promise<readonly string[]> {
  const ledger = openPackedLedger(temporaryFolder(), limits);
  try {
    const { id } = await ledger.startRun(RUN);
    await carriedOut(hasEqualMarks ? withEqualMarks(ledger) : ledger, id, wanted);
    return await planEntries(ledger, id);
  } finally {
    await ledger.close();
  }
}

async function inSqliteLedger(wanted: Plan): Promise<readonly string[]> {
  const ledger = await openTemporaryLedger(temporaryFolder());
  try {
    const { id } = await ledger.startRun(RUN);
    await carriedOut(ledger, id, wanted);
    return await planEntries(ledger, id);
  } finally {
    await ledger.close();
  }
}

describe("a ledger in packed columns", () => {
  test("returns the same bytes as the SQLite ledger for any plan", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (wanted) => {
        const expected = await inSqliteLedger(wanted);
        expect(await inPackedLedger(wanted)).toEqual(expected);
        expect(await inPackedLedger(wanted, { limits: SPILLING })).toEqual(expected);
        expect(await inPackedLedger(wanted, { limits: SPILLING, hasEqualMarks: true })).toEqual(expected);
      }),
      { numRuns: campaignSize({ part: 30, whole: 100 }) },
    );
  });

  test.each(
    campaignCases<readonly [string, (record: number) => PlannedItem]>(
      [
        ["all keys are the same", (record) => item(record, "N/A", { content: record % 7 === 0 ? 2 : 1 })],
        ["each key occurs twice, far apart", (record) => item(record, `K${record % 1500}`)],
        [
          "each key has two similar spellings",
          (record) => item(record, `${"0".repeat(record % 3)}${(record % 900) + 1}`),
        ],
        ["no key repeats", (record) => item(record, `EXT-${record}`)],
        ["no record has a key", (record) => item(record, undefined)],
      ],
      2,
    ),
  )("returns the same bytes as the SQLite ledger for thousands of records if %s", async (_, itemOf) => {
    const items = Array.from({ length: 3000 }, (_unused, index) => itemOf(index + 1));
    const batches = Array.from({ length: 5 }, (_unused, index) => items.slice(index * 600, (index + 1) * 600));
    const wanted = { batches, excluded: [], isFinished: true };
    const expected = await inSqliteLedger(wanted);
    expect(await inPackedLedger(wanted)).toEqual(expected);
    expect(await inPackedLedger(wanted, { limits: { bytes: 0, sortedItems: 100 } })).toEqual(expected);
  });

  test("stores data in an unlinked file, which no other user can open", async () => {
    const folder = temporaryFolder();
    const ledger = openPackedLedger(folder, SPILLING);
    const { id } = await ledger.startRun(RUN);
    await ledger.plan(id, packItems([item(1, "EXT-00123")]));
    expect(process.platform === "win32" ? [] : readdirSync(folder)).toEqual([]);
    expect(await ledger.summary(id)).toMatchObject({ records: 1, counts: { valid: 1 } });
    await ledger.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("creates neither a file nor its folder for a small plan", async () => {
    const folder = `${temporaryFolder()}/not-made`;
    const ledger = openPackedLedger(folder);
    const { id } = await ledger.startRun(RUN);
    await carriedOut(ledger, id, { batches: [[item(1, "A"), item(2, "A")]], excluded: [], isFinished: true });
    await ledger.close();
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });

  test("reports a folder that cannot be written to as a storage failure", async () => {
    const ledger = openPackedLedger(`${temporaryFolder({ file: "" })}/file`, SPILLING);
    const { id } = await ledger.startRun(RUN);
    await expect(ledger.plan(id, packItems([item(1, "A")]))).rejects.toMatchObject({ code: "storage" });
  });

  test("finishes a plan only once, and records the end of its run", async () => {
    const ledger: PackedLedger = openPackedLedger(temporaryFolder());
    const { id } = await ledger.startRun(RUN);
    await ledger.finishPlan(id, POLICY);
    await expect(ledger.finishPlan(id, POLICY)).rejects.toThrow("already finished");
    await expect(ledger.plan(id, packItems([item(1, "A")]))).rejects.toThrow("already finished");
    await ledger.finishRun(id, 1);
    expect(await ledger.findRun(id)).toMatchObject({ ...RUN, id, state: "finished", exitCode: 1 });
  });
});
