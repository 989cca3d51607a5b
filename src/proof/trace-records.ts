import type { Job } from "../job/job.ts";
import { contentHash } from "../ledger/records/record-hashes.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Run } from "../ledger/records/run.ts";
import { definedMembers } from "../json/defined-members.ts";
import type { JsonObject } from "../json/json-value.ts";
import { compileSentForm } from "../map/node/sent-form.ts";
import { ON_PLATFORM, type Outcome } from "../model/outcome.ts";
import type { MeasureProof, RunProof } from "../model/proof.ts";
import type { InputRecord } from "../model/record.ts";
import { type AmountTracer, createAmountTracer } from "./trace-amounts.ts";
import type { AcceptedRecord, PlatformAnswer, PlatformCheck } from "./platform-check.ts";
import { printableJson } from "../terminal/safe-json.ts";
import {
  type HashedFile,
  type ProofTable,
  ROW_OUTCOME_NAMES,
  type RowCounter,
  type RowOutcome,
  createRowCounter,
  rowCells,
  rowsOf,
} from "./row-counter.ts";

interface RunInLedger {
  readonly ledger: Ledger;
  readonly run: Run;
}

interface RunWithSources extends RunInLedger {
  readonly job: Job;
}

export type TraceTables = Readonly<Record<"rows" | "records" | "differences", ProofTable>>;

interface TraceOptions extends RunWithSources {
  readonly tables: TraceTables;
  /** The check that queries the platform, and the file that stores the platform's answers. */
  readonly platform: (PlatformCheck & { readonly file: HashedFile }) | undefined;
}

/** The results of tracing a run, except the tables. */
export interface TracedRun {
  readonly rows: RowCounter;
  readonly payloads: RunProof["payloads"];
  readonly measures: readonly MeasureProof[];
  readonly leftOut: number;
  readonly differences: number;
}

/** A record of the input and its outcome in the ledger. */
interface TracedRecord {
  readonly record: InputRecord;
  /** Absent for a record that the run left out. */
  readonly outcome: Outcome | undefined;
  readonly content: Uint8Array | undefined;
}

/** Reads the sources and the ledger side by side, record by record, and writes the tables. */
export async function traceRecords(options: TraceOptions): Promise<TracedRun> {
  const { job, run, tables, platform } = options;
  const progress: TraceProgress = {
    missing: readsAllRecords(job, run) ? "unaccounted" : "leftOut",
    rows: createRowCounter(),
    amounts: createAmountTracer(job, tables.differences, platform?.comparableAttrs ?? []),
    payloads: { same: 0, different: 0 },
    leftOut: 0,
  };
  for await (const group of mappedGroups(options, platform === undefined ? 1 : PLATFORM_GROUP)) {
    const answers = await platform?.ask(group.flatMap(acceptedRecord));
    await platform?.file.write([...(answers ?? [])].map(answerLine).join(""));
    for (const one of group) await traceRecord(one, answers?.get(one.record.number), tables, progress);
  }
  const { rows, payloads, leftOut, amounts } = progress;
  return { rows, payloads, leftOut, ...amounts.result() };
}

/**
 * Yields the records of the run with their payloads rebuilt from the sources. Each group except the last has at least
 * `size` records.
 */
export function mappedGroups(run: RunWithSources, size: number): AsyncGenerator<readonly MappedTrace[]> {
  return mappedRecords(grouped(recordsWithOutcomes(run), size), run.job);
}

/** Whether the ledger must contain all records of the input. */
function readsAllRecords({ settings: { only, limit } }: Job, { state }: Run): boolean {
  return only === undefined && limit === undefined && state !== "planning";
}

interface TraceProgress {
  /** The outcome of the rows of a record that is not in the ledger. */
  readonly missing: "leftOut" | "unaccounted";
  readonly rows: RowCounter;
  readonly amounts: AmountTracer;
  readonly payloads: { same: number; different: number };
  leftOut: number;
}

async function traceRecord(
  one: MappedTrace,
  answer: PlatformAnswer | undefined,
  tables: TraceTables,
  progress: TraceProgress,
): Promise<void> {
  const { record, outcome, payload, comparison } = one;
  const { amounts, payloads } = progress;
  await tables.rows.write(rowsIn(record, outcome, progress));
  await amounts.add({ record, outcome, payload, matchesPlan: comparison === "same", answer });
  if (comparison !== undefined) payloads[comparison] += 1;
  if (outcome === undefined) {
    if (!record.orphan) progress.leftOut += 1;
    return;
  }
  await tables.records.write([recordCells(outcome, one.content, comparison, answer)]);
  if (comparison === "different") await amounts.note("payload", outcome);
  if (outcome.status === "existing") await amounts.note("existing", outcome);
  if (answer !== undefined && answer.kind !== "found" && answer.kind !== "replaced")
    await amounts.note(`platform: ${answer.kind}`, outcome);
}

function answerLine([record, { kind, values }]: readonly [number, PlatformAnswer]): string {
  return `${printableJson({ record, answer: kind, values: Object.fromEntries(values) })}\n`;
}

/**
 * Minimum number of records in a group. The accepted records of a group are looked up together, because one pass over a
 * list from the platform can find all of them.
 */
export const PLATFORM_GROUP = 5000;

async function* grouped<T>(batches: AsyncIterable<readonly T[]>, size: number): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  for await (const batch of batches) {
    group.push(...batch);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

export interface MappedTrace extends TracedRecord {
  /** The payload as it is sent; absent for an orphan. */
  readonly payload?: JsonObject;
  readonly parameters?: JsonObject;
  /** The result of comparing the rebuilt payload with the planned payload. Absent if the plan has no payload. */
  readonly comparison?: "same" | "different";
}

async function* mappedRecords(
  groups: AsyncIterable<readonly TracedRecord[]>,
  { mapping, operation }: Job,
): AsyncGenerator<readonly MappedTrace[]> {
  const toSentForm = compileSentForm(operation);
  for await (const group of groups) {
    await mapping.prepare?.(group.flatMap(({ record }) => (record.orphan ? [] : record.row)));
    yield group.map((one) => {
      if (one.record.orphan) return one;
      const { payload, parameters } = toSentForm(mapping.map(one.record.row));
      const isSame = one.content && Buffer.compare(one.content, contentHash(payload, parameters)) === 0;
      const comparison = isSame === undefined ? undefined : isSame ? "same" : "different";
      return { ...one, ...definedMembers({ payload, parameters, comparison }) };
    });
  }
}

/** Returns the record to look up on the platform; empty if, according to the ledger, the platform does not have it. */
export function acceptedRecord({ outcome, payload, parameters }: MappedTrace): readonly AcceptedRecord[] {
  if (outcome === undefined || payload === undefined || !ON_PLATFORM.has(outcome.status)) return [];
  return [{ record: outcome.record, payload, parameters, account: outcome.account }];
}

/**
 * Traces a run from the ledger alone. Writes only the table of records, without rows, payload comparisons or amounts.
 */
export async function traceLedger({ ledger, run }: RunInLedger, tables: TraceTables): Promise<TracedRun> {
  for await (const batch of ledger.outcomes(run.id)) {
    const contents = await contentsOf(ledger, run, batch);
    await tables.records.write(batch.map((one) => recordCells(one, contents.get(one.record))));
  }
  return { rows: createRowCounter(), payloads: { same: 0, different: 0 }, measures: [], leftOut: 0, differences: 0 };
}

async function contentsOf(
  ledger: Ledger,
  run: Run,
  batch: readonly Outcome[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const [first, last] = [batch[0], batch.at(-1)];
  return first === undefined || last === undefined ? new Map() : ledger.contents(run.id, first.record, last.record);
}

/** Yields the records of the input with their outcomes. Merges both sequences, which are ordered by record number. */
async function* recordsWithOutcomes({ ledger, run, job }: RunWithSources): AsyncGenerator<readonly TracedRecord[]> {
  const outcomes = ledger.outcomes(run.id)[Symbol.asyncIterator]();
  let known: readonly Outcome[] = [];
  for await (const batch of job.input.records()) {
    const last = batch.at(-1)?.number ?? 0;
    const here = new Map<number, Outcome>();
    for (let more = true; more;) {
      for (const outcome of known) if (outcome.record <= last) here.set(outcome.record, outcome);
      known = known.filter(({ record }) => record > last);
      if (known.length > 0) break;
      const next = await outcomes.next();
      more = next.done !== true;
      if (next.done !== true) known = next.value;
    }
    const contents = await ledger.contents(run.id, batch[0]?.number ?? 0, last);
    yield batch.map((record) => ({
      record,
      outcome: here.get(record.number),
      content: contents.get(record.number),
    }));
  }
}

function recordCells(
  { record, key, status, source, account }: Outcome,
  content: Uint8Array | undefined,
  comparison?: MappedTrace["comparison"],
  answer?: PlatformAnswer,
): (string | number | undefined)[] {
  const hash = content && Buffer.from(content).toString("hex");
  return [record, key, status, source.file, source.line, account, hash, comparison, answer?.kind];
}

function rowsIn(
  { number, source, orphan, row }: InputRecord,
  outcome: Outcome | undefined,
  { rows, missing }: TraceProgress,
): readonly (string | number | undefined)[][] {
  const rowOutcome = classifyRow(orphan, outcome, missing);
  return [...rowsOf(source, row)].map(({ source: name, row: each }) => {
    rows.count(name, each, rowOutcome);
    return [...rowCells(name, each), number, outcome?.key, ROW_OUTCOME_NAMES[rowOutcome]];
  });
}

function classifyRow(orphan: boolean, outcome: Outcome | undefined, missing: TraceProgress["missing"]): RowOutcome {
  if (orphan) return "orphans";
  if (outcome === undefined) return missing;
  return outcome.status === "duplicate" ? "duplicates" : "inRecords";
}
