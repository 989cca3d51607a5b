import type { MigrationQueries } from "../../ledger/ledger.ts";
import type { DestinationState } from "../../ledger/migration-state.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { eachInventoryKey } from "./inventory-keys.ts";
import { type InventoryState, platformsOf, stateOfNumber } from "./inventory-state.ts";

/** A key of the inventory that no push to the platform contains. */
export interface MissingKey {
  readonly target: string;
  readonly key: string;
  readonly file: string;
  readonly line: number;
}

export interface InventoryOptions {
  readonly inventory: Inventory;
  readonly temporaryFolder: string;
}

export interface ComparedLedger {
  readonly ledger: MigrationQueries;
  /** The result of `Ledger.migration`. */
  readonly migration: readonly DestinationState[];
}

/**
 * Compares an inventory with the pushes to each platform. Considers only pushes to the endpoint of the platform's
 * latest push, regardless of their supplier.
 * @param onMissing called with the missing keys in batches; never called if the inventory is a number
 */
export async function compareInventory(
  { inventory, temporaryFolder }: InventoryOptions,
  { ledger, migration }: ComparedLedger,
  onMissing: (keys: readonly MissingKey[]) => Promise<void> | void = () => undefined,
): Promise<readonly InventoryState[]> {
  const platforms = platformsOf(migration);
  if (typeof inventory === "number") return platforms.map((platform) => stateOfNumber(platform, inventory));
  const file = typeof inventory === "string" ? inventory : inventory.file;
  const missing = new Map<string, number>();
  let expected = 0;
  await eachInventoryKey(inventory, temporaryFolder, async (keys) => {
    expected += keys.length;
    const lines = new Map(keys.map(({ key, line }) => [key, line]));
    for (const { target, destinations } of platforms) {
      const unseen = await ledger.unseenKeys(destinations, [...lines.keys()]);
      missing.set(target, (missing.get(target) ?? 0) + unseen.length);
      if (unseen.length > 0) await onMissing(unseen.map((key) => ({ target, key, file, line: lines.get(key) ?? 0 })));
    }
  });
  return platforms.map(({ target, operation }) => {
    const count = missing.get(target) ?? 0;
    return { target, operation, expected, seen: expected - count, missing: count };
  });
}
