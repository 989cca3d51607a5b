import { isPlannedPush } from "../../job/inventory/inventory-state.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { NEEDS_WORK } from "../../model/outcome.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { excludedKeys } from "../run/excluded-keys.ts";
import type { OwnerRule } from "../../model/owner.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { eachOpenRecord } from "./each-open-record.ts";
import { type ExportedPackage, type ExportedPackages, readExport } from "./exported-packages.ts";
import type { CellDependencies } from "./read-cells.ts";
import { dueDay, isOverdue } from "./record-owner.ts";

/** The open records of an owner, and the exported records that the owner has returned. */
export interface OwnerProgress {
  readonly owner: string;
  readonly address?: string | undefined;
  /** The number of open records, including records that were never exported. */
  readonly open: number;
  readonly overdue: number;
  /** The day (UTC) on which the first open record is due. */
  readonly due?: string | undefined;
  /** The number of distinct records in the owner's exported packages. */
  readonly exported: number;
  /** The number of exported records that are no longer open. */
  readonly returned: number;
}

export interface ProgressOptions {
  readonly ledger: Ledger;
  readonly store: LedgerStore;
  readonly owners: readonly OwnerRule[];
  /** If absent, no key counts as missing. */
  readonly inventory?: Inventory | undefined;
}

interface Counts {
  address: string | undefined;
  due: string | undefined;
  open: number;
  overdue: number;
  exported: number;
  returned: number;
}

/**
 * Counts the open records of each owner and compares them with the exported packages. Memory use grows with the number
 * of exported records. The owner with the most open records comes first.
 */
export async function ownerProgress(
  { ledger, store, owners, inventory }: ProgressOptions,
  dependencies: CellDependencies,
): Promise<readonly OwnerProgress[]> {
  const counts = new Map<string, Counts>();
  const countsOf = (name: string): Counts => {
    const known = counts.get(name);
    if (known !== undefined) return known;
    const created = { address: undefined, due: undefined, open: 0, overdue: 0, exported: 0, returned: 0 };
    counts.set(name, created);
    return created;
  };
  for (const { owner, address } of owners) countsOf(owner).address ??= address;

  const { ownerByRecord, notReturned } = await exportedRecords(ledger, store);
  for (const [name, count] of notReturned) countsOf(name).exported += count;
  for (const name of ownerByRecord.values()) {
    countsOf(name).exported += 1;
    countsOf(name).returned += 1;
  }
  const now = dependencies.clock.now();
  await eachOpenRecord(ledger, { inventory, owners }, dependencies, (records) => {
    for (const record of records) {
      const { key, target, supplier, owner } = record;
      const exportedTo = key === undefined ? undefined : takeOwner(ownerByRecord, recordId(target, supplier, key));
      if (exportedTo !== undefined) countsOf(exportedTo).returned -= 1;
      if (owner === undefined) continue;
      const own = countsOf(owner.name);
      own.open += 1;
      if (isOverdue(record, owner, now)) own.overdue += 1;
      const due = dueDay(record, owner);
      if (due !== undefined && (own.due === undefined || due < own.due)) own.due = due;
    }
  });
  return [...counts]
    .map(([owner, own]) => ({ owner, ...own }))
    .toSorted((a, b) => b.open - a.open || (a.owner < b.owner ? -1 : 1));
}

/**
 * Returns the owner of a record and removes the record, so that it is counted only once, even if two operations have an
 * open record with the same key.
 */
function takeOwner(owners: Map<string, string>, id: string): string | undefined {
  const owner = owners.get(id);
  owners.delete(id);
  return owner;
}

interface ExportedRecords {
  /** The owner of the latest package that contains the record. */
  readonly ownerByRecord: Map<string, string>;
  /**
   * The number of exported records that cannot be returned, because they have no key, were excluded later, or only
   * repeat a record that needed no correction.
   */
  readonly notReturned: ReadonlyMap<string, number>;
}

/** Finds the exported records of all runs whose records are included in `migrate open`. */
async function exportedRecords(ledger: Ledger, store: LedgerStore): Promise<ExportedRecords> {
  const ownerByRecord = new Map<string, string>();
  const notReturned = new Map<string, number>();
  const addNotReturned = (owner: string): void => void notReturned.set(owner, (notReturned.get(owner) ?? 0) + 1);
  const repeats = new Map<string, string>();
  const isExcludedIn = await excludedKeys(ledger);
  for (const run of (await ledger.runs()).filter(isPlannedPush).toReversed()) {
    const exported = await readExport(store, run.id);
    if (exported === undefined) continue;
    const ownerOfRecord = ownersByNumber(exported);
    const isExcluded = await isExcludedIn(run);
    for await (const batch of ledger.outcomes(run.id, { statuses: [...NEEDS_WORK] })) {
      for (const { record, key, status } of batch) {
        const owner = ownerOfRecord(record);
        if (owner === undefined) continue;
        const id = key === undefined || isExcluded(key) ? undefined : recordId(run.target, run.supplier, key);
        if (id === undefined) addNotReturned(owner);
        else if (status === "duplicate") repeats.set(id, owner);
        else ownerByRecord.set(id, owner);
      }
    }
  }
  for (const [id, owner] of repeats) if (!ownerByRecord.has(id)) addNotReturned(owner);
  return { ownerByRecord, notReturned };
}

function recordId(target: string, supplier: string, key: string): string {
  return [target, supplier, canonicalKey(key)].join("\0");
}

/** Returns a function that finds the owner of a record. Record numbers must be passed in ascending order. */
function ownersByNumber({ packages }: ExportedPackages): (record: number) => string | undefined {
  const ranges = packages
    .flatMap(({ owner, records }: ExportedPackage) => records.map(([from, to]) => ({ from, to, owner })))
    .toSorted((a, b) => a.from - b.from);
  let at = 0;
  return (record) => {
    while ((ranges[at]?.to ?? record) < record) at += 1;
    const range = ranges[at];
    return range !== undefined && range.from <= record ? range.owner : undefined;
  };
}
