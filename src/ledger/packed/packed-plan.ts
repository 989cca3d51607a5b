import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Severity } from "../../model/problem.ts";
import { type Status, STATUSES, type Summary } from "../../model/outcome.ts";
import type { PlanPolicy } from "../records/planned-item.ts";
import type { RecordProblems } from "../records/stored-problem.ts";
import { exitCodeOf } from "../records/record-exit-code.ts";
import { columnsIn, FLAG, type ItemColumns, type PackedItems } from "./item-columns.ts";
import { createMarkList, type MarkList } from "./repeated-marks.ts";
import type { PieceStore } from "./spool/piece-store.ts";
import { createSorter, type Sorter } from "./spool/sorter.ts";

/** The plan of one run in columns, in input order, with later findings kept separately. */
export interface PackedPlan {
  readonly pieces: PieceStore;
  /** Maximum number of items that a sorter holds in memory. */
  readonly maxSortedInMemory: number;
  readonly batches: PlannedBatch[];
  /** Marks of all keys. */
  readonly marks: MarkList;
  /** The names of all files, by their number in this plan. */
  readonly files: FileNames;
  readonly counts: Map<Status, number>;
  readonly problems: Readonly<Record<Severity, Map<string, number>>>;
  /** Findings about records, made after the records were planned. */
  readonly findings: Sorter<LaterFinding>;
  /** Numbers of the records with problems that `excludeRows` added. */
  readonly excluded: Set<number>;
  /** Set by `settleKeys`, when all records have been planned. */
  policy?: PlanPolicy;
}

export interface PlannedBatch {
  /** The number of the stored piece that contains the columns. */
  readonly piece: number;
  /** The plan's file numbers for the files of the batch. */
  readonly files: readonly number[];
  readonly count: number;
  readonly lastRecord: number;
  /** Whether all items are valid and have no extra properties, such as problems. */
  readonly isPlain: boolean;
}

/** A finding about a key, or problems that were found after planning and make a record `invalid`. */
export type LaterFinding = RecordProblems | KeyFinding;

/** A finding about the key of one record. */
export interface KeyFinding {
  readonly record: number;
  readonly wasInvalid: boolean;
  /** Another record with this key: the first record if all contents are equal, otherwise the nearest record. */
  readonly same?: Spot;
  /** Whether all records with this key have the same content. */
  readonly sameContent: boolean;
  /** The first record with another key that is nearly equal. `findRepeatedKeys` selects this key. */
  readonly near?: Spot;
}

/** The place of a record: its number and line, and the plan's number for its file. */
export interface Spot {
  readonly record: number;
  readonly file: number;
  readonly line: number;
}

export function newPackedPlan(pieces: PieceStore, maxSortedInMemory: number): PackedPlan {
  return {
    pieces,
    maxSortedInMemory,
    batches: [],
    marks: createMarkList(pieces),
    files: createFileNames(),
    counts: new Map(),
    problems: { error: new Map(), warning: new Map() },
    findings: createSorter((one, other) => one.record - other.record, { pieces, atOnce: maxSortedInMemory }),
    excluded: new Set(),
  };
}

/**
 * Adds records after the existing records.
 * @throws Failure `storage`
 */
export function addItems(plan: PackedPlan, items: PackedItems): void {
  const columns = columnsIn(items.columns);
  if (columns.count === 0) return;
  const problemCount = countStatuses(plan, columns);
  for (const severity of ["error", "warning"] as const) {
    for (const [code, count] of items.problems[severity]) countProblem(plan, severity, code, count);
  }
  plan.marks.add(columns.marks);
  plan.batches.push({
    count: columns.count,
    lastRecord: requireInOrder(columns, plan.batches.at(-1)?.lastRecord ?? 0),
    isPlain: problemCount === 0,
    files: items.files.map(plan.files.numberOf),
    piece: plan.pieces.add(items.columns),
  });
}

/**
 * Counts the items by status. Returns the number of items that are invalid or have extra properties, such as problems.
 */
function countStatuses(plan: PackedPlan, { count, flags }: ItemColumns): number {
  let problemCount = 0;
  let invalid = 0;
  for (const flag of flags) {
    if (!isPlain(flag)) problemCount += 1;
    if ((flag & FLAG.invalid) !== 0) invalid += 1;
  }
  countStatus(plan, "invalid", invalid);
  countStatus(plan, "valid", count - invalid);
  return problemCount;
}

/** Whether an item is valid and has no extra properties, such as problems. */
export function isPlain(flag: number): boolean {
  return (flag & (FLAG.invalid | FLAG.extra)) === 0;
}

function requireInOrder({ records }: ItemColumns, before: number): number {
  let last = before;
  for (const record of records) {
    if (record <= last) throw new Error(`Record ${record} is planned after record ${last}.`);
    last = record;
  }
  return last;
}

export function summaryOf({ counts, problems }: PackedPlan): Summary {
  const present = STATUSES.toSorted().flatMap((status) => {
    const count = counts.get(status) ?? 0;
    return count === 0 ? [] : ([[status, count]] as const);
  });
  const byStatus = Object.fromEntries(present);
  return {
    records: present.reduce((sum, [, count]) => sum + count, 0),
    counts: byStatus,
    errors: mostFrequentFirst(problems.error),
    warnings: mostFrequentFirst(problems.warning),
    exitCode: exitCodeOf(byStatus),
  };
}

function mostFrequentFirst(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const byCode = [...counts].toSorted(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  return Object.fromEntries(byCode.toSorted(([, count], [, other]) => other - count));
}

export function moveStatus(plan: PackedPlan, from: Status, to: Status): void {
  countStatus(plan, from, -1);
  countStatus(plan, to, 1);
}

function countStatus({ counts }: PackedPlan, status: Status, more: number): void {
  counts.set(status, (counts.get(status) ?? 0) + more);
}

export function countProblem({ problems }: PackedPlan, severity: Severity, code: string, more: number): void {
  problems[severity].set(code, (problems[severity].get(code) ?? 0) + more);
}

/**
 * Reads the batches one at a time, and yields to the event loop after every `BATCHES_AT_ONCE` batches. `files`: the
 * plan's file numbers for the files of the batch.
 */
export async function* batchesOf({
  batches,
  pieces,
}: PackedPlan): AsyncGenerator<{ readonly columns: ItemColumns; readonly files: readonly number[] }> {
  for (const [index, { piece, files }] of batches.entries()) {
    if (index % BATCHES_AT_ONCE === BATCHES_AT_ONCE - 1) await yieldToEventLoop();
    yield { columns: columnsIn(pieces.read(piece)), files };
  }
}

export const BATCHES_AT_ONCE = 50;

interface FileNames {
  readonly numberOf: (name: string) => number;
  readonly nameOf: (number: number) => string;
}

function createFileNames(): FileNames {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  return {
    numberOf(name) {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      numbers.set(name, names.length);
      return names.push(name) - 1;
    },
    nameOf: (number) => names[number] ?? "",
  };
}
