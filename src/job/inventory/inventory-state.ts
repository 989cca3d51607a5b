import type { Run } from "../../ledger/records/run.ts";
import type { DestinationState } from "../../ledger/migration-state.ts";

/** The inventory compared with the pushes to one platform. `expected` is the sum of `seen` and `missing`. */
export interface InventoryState {
  /** Empty if the ledger has no push. */
  readonly target: string;
  readonly operation: string;
  /** Number of distinct keys in the inventory. */
  readonly expected: number;
  /**
   * Number of keys of the inventory that are in at least one push. For an inventory that is only a number: the number
   * of records in all pushes, but at most `expected`.
   */
  readonly seen: number;
  readonly missing: number;
}

export function stateOfNumber({ target, operation, destinations }: Platform, expected: number): InventoryState {
  const records = destinations.reduce((sum, each) => sum + each.records, 0);
  const seen = Math.min(records, expected);
  return { target, operation, expected, seen, missing: expected - seen };
}

/** Whether a run is a push that sends to the platform and has read its input completely. */
export function isPlannedPush({ command, dryRun, state }: Run): boolean {
  return command === "push" && !dryRun && state !== "planning";
}

/** A platform and its destinations. Includes only destinations with the endpoint of the latest push. */
export interface Platform {
  readonly target: string;
  readonly operation: string;
  readonly destinations: readonly DestinationState[];
}

/**
 * Returns the platforms to which records were pushed. If there are no pushes, returns a single platform without a
 * target.
 * @param migration latest destination first
 */
export function platformsOf(migration: readonly DestinationState[]): readonly Platform[] {
  if (migration.length === 0) return [{ target: "", operation: "", destinations: [] }];
  const latest = new Map<string, DestinationState>();
  for (const each of migration) if (!latest.has(each.target)) latest.set(each.target, each);
  return [...latest.values()].map(({ target, operation, endpoint }) => ({
    target,
    operation,
    destinations: migration.filter((each) => each.target === target && each.endpoint === endpoint),
  }));
}
