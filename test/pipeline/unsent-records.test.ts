import { expect, test } from "vitest";
import type { NextSendable } from "../../src/ledger/records/requests.ts";
import type { InputPosition, InputRecord } from "../../src/model/record.ts";
import { groupsOfRows } from "../../src/pipeline/send/payload-group.ts";
import type { ReadPayloads } from "../../src/pipeline/send/reread-payloads.ts";
import { unsentRecords } from "../../src/pipeline/send/unsent-records.ts";

const BATCH = 500;
const ROW_BYTES = 1000;
const RECORDS = 100_000;

/**
 * Creates an input. If it is seekable, every batch has the position of the next batch. Logs the records at which
 * reading starts.
 */
function createInput(isSeekable = true) {
  const begun: number[] = [];
  let read = 0;
  let checks = 0;
  async function* records({ from }: { readonly from?: InputPosition | undefined } = {}): AsyncGenerator<
    readonly InputRecord[]
  > {
    begun.push(from?.record ?? 1);
    for (let first = from?.record ?? 1; first <= RECORDS; first += BATCH) {
      read += BATCH;
      yield Array.from({ length: BATCH }, (_, index) => record(first + index, isSeekable && index === BATCH - 1));
    }
  }
  const refuseChanged = async (): Promise<void> => {
    checks += 1;
  };
  return { input: { records, refuseChanged }, begun, read: () => read, checks: () => checks };
}

const table = { kind: "json", file: "rows.ndjson" } as const;

function record(number: number, isLast: boolean): InputRecord {
  const row = { table, pointer: "", value: {}, line: number };
  const found = { number, source: "rows", orphan: false, row, problems: [] };
  return isLast ? { ...found, next: { byte: number * ROW_BYTES, line: number + 1 } } : found;
}

const placeOf = (first: number): InputPosition => ({
  record: first,
  file: table.file,
  byte: (first - 1) * ROW_BYTES,
  line: first,
});

/** Creates the ledger of a run in which these records are pending. */
function createLedger(left: readonly number[], noted: InputPosition[] = []) {
  const nextSendable = async (_run: string, from: number): Promise<NextSendable | undefined> => {
    const next = left.find((one) => one >= from);
    const before = noted.filter((one) => next !== undefined && one.record <= next);
    const last = before.toSorted((one, other) => one.record - other.record).at(-1);
    return next === undefined ? undefined : { record: next, ...(last && { position: last }) };
  };
  const notePosition = async (_run: string, position: InputPosition): Promise<void> => {
    noted.push(position);
  };
  return { noted, ledger: { nextSendable, notePosition } };
}

async function unsent(
  { input }: ReturnType<typeof createInput>,
  { ledger }: ReturnType<typeof createLedger>,
): Promise<readonly number[]> {
  const run = { id: "run" };
  const { signal } = new AbortController();
  const readPayloads: ReadPayloads = (_, from) => groupsOfRows(input.records({ from }));
  const groups = unsentRecords({ input, ledger, run, readPayloads, signal });
  const numbers: number[] = [];
  for await (const { first, last } of groups)
    for (let number = first; number <= last; number += 1) numbers.push(number);
  return numbers;
}

/** Returns the numbers from this record to the end of its batch. */
const batchFrom = (first: number): readonly number[] =>
  Array.from({ length: BATCH - ((first - 1) % BATCH) }, (_, index) => first + index);

test("reads an interrupted run from the last position before the first pending record", async () => {
  const first = createInput();
  const { noted } = createLedger([]);
  await unsent(first, createLedger(batchFrom(1).concat(RECORDS), noted));
  expect([first.begun, first.read()]).toEqual([[1], RECORDS]);
  expect(noted.length).toBeGreaterThan(20);
  const again = createInput();
  expect(await unsent(again, createLedger([90_001, RECORDS], noted))).toEqual([...batchFrom(90_001), RECORDS]);
  expect(again.begun[0]).toBeGreaterThan(85_000);
});

test("skips long sequences without pending records, and all records after the last pending record", async () => {
  const noted = Array.from({ length: 20 }, (_, at) => placeOf(5000 * at + 1));
  const scene = createInput();
  const found = await unsent(scene, createLedger([3, 50_003, 70_000], noted));
  expect(found).toEqual([...batchFrom(3), ...batchFrom(50_003), 70_000]);
  expect(scene.begun).toEqual([1, 50_001, 65_001]);
  expect(scene.read()).toBeLessThan(7000);
  expect(scene.checks()).toBe(1);
});

test("reads from the start to the last pending record if no positions were recorded", async () => {
  const scene = createInput(false);
  const ledger = createLedger([20_001]);
  expect(await unsent(scene, ledger)).toEqual(batchFrom(20_001));
  expect([scene.begun, scene.read(), ledger.noted]).toEqual([[1], 20_500, []]);
});

test("reads nothing if no record is pending", async () => {
  const scene = createInput();
  expect(await unsent(scene, createLedger([]))).toEqual([]);
  expect(scene.begun).toEqual([]);
});
