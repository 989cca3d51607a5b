import path from "node:path";
import { expect, it } from "vitest";
import type { Outcome, Status } from "../../src/model/outcome.ts";
import type { InputRecord } from "../../src/model/record.ts";
import { rejectedInput } from "../../src/pipeline/run/write-folder.ts";
import { type Input, openInput } from "../../src/read/input/open-input.ts";
import { rejectedRecords } from "../../src/report/rejects/rejected-rows.ts";
import type { Report } from "../../src/report/report.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ACCOUNTS = 50;

/** Opens an input with accounts, a customer for every second account and, if requested, an orphan. */
async function openAccounts({ orphans = false } = {}): Promise<Input> {
  const numbers = Array.from({ length: ACCOUNTS }, (_, at) => at + 1);
  const folder = temporaryFolder({
    "accounts.csv": `REF,NAME\n${numbers.map((number) => `A${number},n\n`).join("")}`,
    "customers.csv": `REF,NAME\n${numbers
      .filter((number) => number % 2 === 0)
      .map((number) => `A${number},c${number}\n`)
      .join("")}${orphans ? "nobody,x\n" : ""}`,
  });
  const plan = {
    name: "accounts",
    files: [path.join(folder, "accounts.csv")],
    key: "REF",
    children: [{ name: "customers", files: [path.join(folder, "customers.csv")], on: "REF", children: [] }],
  };
  return openInput(plan, { tempFolder: path.join(folder, "temp"), onNotice: () => undefined });
}

async function allOf(batches: AsyncIterable<readonly InputRecord[]>): Promise<readonly InputRecord[]> {
  const all: InputRecord[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

function reportOf(records: readonly InputRecord[], invalid: ReadonlySet<number>): Report {
  const outcomes = records.map(({ number, row }): Outcome => ({
    record: number,
    source: { file: row.table.file, line: row.line },
    status: invalid.has(number) ? "invalid" : "valid",
    problems: [],
  }));
  const counts = { invalid: invalid.size, valid: records.length - invalid.size };
  return {
    summary: { records: records.length, counts, errors: {}, warnings: {}, exitCode: 1 },
    async *outcomes(statuses?: readonly Status[]) {
      yield outcomes.filter(({ status }) => statuses === undefined || statuses.includes(status));
    },
    showValues: false,
    colour: false,
    width: 80,
    title: "push",
  };
}

async function rejectedBy(report: Report, batches: AsyncIterable<readonly InputRecord[]>): Promise<readonly object[]> {
  const rejected: object[] = [];
  for await (const batch of rejectedRecords(report, batches)) rejected.push(...batch.rejected);
  return rejected;
}

it("returns only the records to correct, with their joined rows, and one row of each source", async () => {
  const input = await openAccounts();
  const all = await allOf(input.records());
  const report = reportOf(all, new Set([7, 8, 50]));
  const few = await allOf(rejectedInput(input, report));
  expect(few.map(({ number, source, orphan }) => [number, source, orphan])).toEqual([
    [0, "accounts", false],
    [0, "customers", true],
    [7, "accounts", false],
    [8, "accounts", false],
    [50, "accounts", false],
  ]);
  expect(await rejectedBy(report, rejectedInput(input, report))).toEqual(await rejectedBy(report, input.records()));
  await input.close();
});

it("reads the whole input if a child row without a parent needs correction", async () => {
  const input = await openAccounts({ orphans: true });
  const all = await allOf(input.records());
  expect(all.at(-1)?.orphan).toBe(true);
  const report = reportOf(all, new Set([3, ACCOUNTS + 1]));
  expect(await allOf(rejectedInput(input, report))).toEqual(all);
  expect(await rejectedBy(report, rejectedInput(input, report))).toHaveLength(2);
  await input.close();
});
