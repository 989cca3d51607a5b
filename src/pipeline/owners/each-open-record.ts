import { compareInventory, type MissingKey } from "../../job/inventory/compare-inventory.ts";
import { isPlannedPush } from "../../job/inventory/inventory-state.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { OpenFilter, OpenRecord } from "../../ledger/migration-state.ts";
import type { Owner, OwnerRule } from "../../model/owner.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { timestamp } from "../../time/clock.ts";
import type { CellDependencies } from "./read-cells.ts";
import { findOwners, haveColumns } from "./record-owner.ts";

export interface OpenRecordOptions extends OpenFilter {
  /** If absent, no key counts as missing. */
  readonly inventory?: Inventory | undefined;
  /** If absent, no record has an owner. */
  readonly owners?: readonly OwnerRule[] | undefined;
}

export interface OwnedOpenRecord extends OpenRecord {
  readonly owner?: Owner | undefined;
}

type AddRecords = (records: readonly OwnedOpenRecord[]) => Promise<void> | void;

/**
 * Passes the open records of the migration and the missing keys of the inventory to `add`, in batches. If any owner
 * rule depends on a column, reads the rows of the records again.
 */
export async function eachOpenRecord(
  ledger: Ledger,
  { owners, ...options }: OpenRecordOptions,
  dependencies: CellDependencies,
  add: AddRecords,
): Promise<void> {
  if (owners === undefined) return listOpenRecords(ledger, options, dependencies, add);
  const { cellsOfRuns } = haveColumns(owners) ? await import("./read-cells.ts") : {};
  const cells = cellsOfRuns?.(ledger, dependencies);
  try {
    await listOpenRecords(ledger, options, dependencies, async (records) => {
      const found = await findOwners(owners, records, cells);
      await add(records.map((record, index) => ({ owner: found[index], ...record })));
    });
  } finally {
    await cells?.close();
  }
}

async function listOpenRecords(
  ledger: Ledger,
  { since, inventory }: OpenRecordOptions,
  { temporaryFolder, clock }: CellDependencies,
  add: (records: readonly OpenRecord[]) => Promise<void> | void,
): Promise<void> {
  for await (const records of ledger.openRecords({ since })) await add(records);
  if (inventory === undefined) return;
  const pushes = (await ledger.runs()).filter(isPlannedPush);
  // The latest run comes first, so each target keeps the start time of its first push.
  const starts = new Map(pushes.map(({ target, startedAt }) => [target, startedAt]));
  const compared = { ledger, migration: await ledger.migration() };
  await compareInventory({ inventory, temporaryFolder }, compared, async (keys) => {
    const records = keys.map((key) => missingRecord(key, starts.get(key.target) ?? timestamp(clock)));
    await add(since === undefined ? records : records.filter((record) => record.since >= since));
  });
}

function missingRecord({ target, key, file, line }: MissingKey, since: string): OpenRecord {
  const place = { run: "", record: 0, source: { file, line } };
  return { key, state: "missing", ...place, problems: [], target, supplier: "", since };
}
