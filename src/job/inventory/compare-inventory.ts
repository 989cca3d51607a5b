import type { Ledger } from "../../ledger/ledger.ts";
import type { DestinationState } from "../../ledger/migration-state.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { eachInventoryKey } from "./inventory-keys.ts";

/** The inventory compared with the pushes to one platform. `expected` is the sum of `seen` and `missing`. */
export interface InventoryState {
  /** Empty if the ledger has no push. */
  readonly target: string;
  readonly operation: string;
  /** Number of distinct keys. */
  readonly expected: number;
  /**
   * Number of keys of the inventory that are in any push. For an inventory that is only a number: the number of records
   * in all pushes, at most that number.
   */
  readonly seen: number;
  readonly missing: number;
}

/** A key of the inventory that no push to the platform has contained. */
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
  readonly ledger: Pick<Ledger, "unseenKeys">;
  /** The result of `Ledger.migration`. */
  readonly migration: readonly DestinationState[];
}

/**
 * Compares an inventory with each platform: with all pushes to the operation of the latest push, for any supplier.
 * @param onMissing called with the missing keys in batches; there are none if the inventory is a number
 */
export async function compareInventory(
  { inventory, temporaryFolder }: InventoryOptions,
  { ledger, migration }: ComparedLedger,
  onMissing: (keys: readonly MissingKey[]) => Promise<void> | void = () => undefined,
): Promise<readonly InventoryState[]> {
  const platforms = platformsOf(migration);
  if (typeof inventory === "number") {
    return platforms.map(({ target, operation, destinations }) => {
      const records = destinations.reduce((sum, each) => sum + each.records, 0);
      const seen = Math.min(records, inventory);
      return { target, operation, expected: inventory, seen, missing: inventory - seen };
    });
  }
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

interface Platform {
  readonly target: string;
  readonly operation: string;
  readonly destinations: readonly DestinationState[];
}

/** @param migration latest destination first */
function platformsOf(migration: readonly DestinationState[]): readonly Platform[] {
  if (migration.length === 0) return [{ target: "", operation: "", destinations: [] }];
  const latest = new Map<string, DestinationState>();
  for (const each of migration) if (!latest.has(each.target)) latest.set(each.target, each);
  return [...latest.values()].map(({ target, operation, endpoint }) => ({
    target,
    operation,
    destinations: migration.filter((each) => each.target === target && each.endpoint === endpoint),
  }));
}
