import type { StoreOptions } from "../../ledger/ledger-store.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import type { OwnerRule } from "../../model/owner.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { ownerProgress, type OwnerProgress } from "../../pipeline/owners/owner-progress.ts";
import type { CellDependencies } from "../../pipeline/owners/read-cells.ts";
import { readRunLedger } from "../../pipeline/run/run-ledger.ts";

export interface OwnerStatusOptions {
  readonly ledger: string;
  readonly owners: readonly OwnerRule[];
  /** The keys to migrate. Without them, no record is reported as missing. */
  readonly inventory?: Inventory | undefined;
}

type OwnerStatusDependencies = StoreOptions & CellDependencies;

/**
 * Returns, for each owner, the records to settle and the records that the owner has returned. Does not change the
 * ledger.
 */
export async function ownerStatus(
  { ledger: at, ...options }: OwnerStatusOptions,
  dependencies: OwnerStatusDependencies,
): Promise<readonly OwnerProgress[]> {
  const store = await openLedgerStore(at, dependencies);
  return readRunLedger(store, (ledger) => ownerProgress({ ledger, store, ...options }, dependencies));
}
