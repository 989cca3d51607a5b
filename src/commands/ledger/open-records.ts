import type { OpenState } from "../../ledger/migration-state.ts";
import {
  eachOpenRecord,
  type OpenRecordOptions,
  type OwnedOpenRecord,
} from "../../pipeline/owners/each-open-record.ts";
import type { CellDependencies } from "../../pipeline/owners/read-cells.ts";
import { causesOf, causeText, isOverdue } from "../../pipeline/owners/record-owner.ts";
import { exitCodeOf } from "../../ledger/records/record-exit-code.ts";
import type { StoreOptions } from "../../ledger/ledger-store.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { noteUnplanned, readRunLedger } from "../../pipeline/run/run-ledger.ts";

export type Grouping = "owner" | "cause" | "file" | "day";

export interface OpenOptions extends OpenRecordOptions {
  readonly ledger: string;
}

export type OpenDependencies = StoreOptions & CellDependencies;

export type OpenCounts = ReadonlyMap<OpenState, number>;

/**
 * Passes the open records of the migration to `add` in batches, and returns their counts. Unless `since` is set, the
 * counts include the ambiguous records that cannot be listed, because no push has planned them. Changes nothing.
 */
export async function openRecords(
  { ledger: at, ...options }: OpenOptions,
  dependencies: OpenDependencies,
  add: (records: readonly OwnedOpenRecord[]) => Promise<void> | void,
): Promise<OpenCounts> {
  const counts = new Map<OpenState, number>();
  const count = async (records: readonly OwnedOpenRecord[]): Promise<void> => {
    for (const { state } of records) addOne(counts, state);
    await add(records);
  };
  await readRunLedger(await openLedgerStore(at, dependencies), async (ledger) => {
    await eachOpenRecord(ledger, options, dependencies, count);
    const unplanned = options.since === undefined ? await noteUnplanned(ledger, dependencies.notice) : 0;
    if (unplanned > 0) counts.set("ambiguous", (counts.get("ambiguous") ?? 0) + unplanned);
  });
  return counts;
}

/** Open records with the same owner, cause, file or day. */
export interface OpenGroup {
  readonly name: string;
  readonly records: number;
  readonly counts: OpenCounts;
  /** The number of overdue records; only for groups by owner. */
  readonly overdue?: number;
}

/**
 * Counts open records by owner, by cause (code and attr, with `*` instead of each index), by file, or by the day (UTC)
 * on which they became open. A record with several causes is in several groups. Sorts days chronologically, and other
 * groups by size, largest first. `owners` is required to count by owner.
 */
export async function openGroups(
  by: Grouping,
  { owners, ...options }: OpenOptions,
  dependencies: OpenDependencies,
): Promise<{ readonly groups: readonly OpenGroup[]; readonly counts: OpenCounts }> {
  const groups = new Map<string, Map<OpenState, number>>();
  const overdue = new Map<string, number>();
  const now = dependencies.clock.now();
  const counts = await openRecords({ ...options, ...(by === "owner" && { owners }) }, dependencies, (records) => {
    for (const record of records) {
      for (const name of groupsOf(record, by)) {
        const group = groups.get(name) ?? new Map<OpenState, number>();
        addOne(group, record.state);
        groups.set(name, group);
        if (by !== "owner" || !isOverdue(record, record.owner, now)) continue;
        overdue.set(name, (overdue.get(name) ?? 0) + 1);
      }
    }
  });
  const listed = [...groups].map(([name, own]) => ({
    name,
    records: totalOf(own),
    counts: own,
    ...(by === "owner" && { overdue: overdue.get(name) ?? 0 }),
  }));
  const inOrder = (a: OpenGroup, b: OpenGroup): number => (a.name < b.name ? -1 : 1);
  const sorted = listed.toSorted(by === "day" ? inOrder : (a, b) => b.records - a.records || inOrder(a, b));
  return { groups: sorted, counts };
}

function groupsOf(record: OwnedOpenRecord, by: Grouping): readonly string[] {
  if (by === "owner") return [record.owner?.name ?? ""];
  if (by === "file") return [record.source.file];
  if (by === "day") return [record.since.slice(0, 10)];
  return causesOf(record).map(causeText);
}

/** Returns the exit code for records in these states (README, "Exit codes"). */
export function exitCodeOfOpen(counts: OpenCounts): number {
  const { ambiguous = 0, pending = 0, missing = 0 } = Object.fromEntries(counts);
  return exitCodeOf({
    ambiguous,
    pending: pending + missing,
    invalid: totalOf(counts) - ambiguous - pending - missing,
  });
}

export function totalOf(counts: OpenCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function addOne(counts: Map<OpenState, number>, state: OpenState): void {
  counts.set(state, (counts.get(state) ?? 0) + 1);
}
