import { hash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { replaceFile } from "../../files/replace-file.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { Ledger, Run } from "../../ledger/ledger.ts";
import type { DestinationState } from "../../ledger/migration-state.ts";
import type { Inventory } from "../../options/migration-options.ts";
import type { WallClock } from "../../time/clock.ts";
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

interface CountDependencies extends ComparedLedger {
  readonly ledger: Pick<Ledger, "exclusions" | "unseenKeys">;
  readonly store: Pick<LedgerStore, "folder">;
  /** All runs of the ledger. */
  readonly runs: readonly Run[];
  readonly clock: WallClock;
}

interface StoredCounts {
  readonly version: 1;
  readonly basis: string;
  readonly counts: readonly InventoryState[];
}

const storedSchema: z.ZodType<StoredCounts> = z.object({
  version: z.literal(1),
  basis: z.string(),
  counts: z.array(
    z.object({
      target: z.string(),
      operation: z.string(),
      expected: z.number(),
      seen: z.number(),
      missing: z.number(),
    }),
  ),
});

/**
 * The counts of a file that changed less than this time ago are not stored: it could change again with the same
 * modification time, because file systems round times.
 */
const SETTLED_MS = 3_000;

/**
 * Counts the keys of an inventory, as `compareInventory` does. Comparing looks up every key, so the counts are stored
 * next to the ledger, and reused until the inventory file, the pushes or the exclusions change.
 */
export async function countInventory(
  options: InventoryOptions,
  { store, ledger, runs, migration, clock }: CountDependencies,
): Promise<readonly InventoryState[]> {
  const compare = (): Promise<readonly InventoryState[]> => compareInventory(options, { ledger, migration });
  if (typeof options.inventory === "number") return compare();
  const { file, column } = typeof options.inventory === "string" ? { file: options.inventory } : options.inventory;
  const stats = await stat(file, { bigint: true }).catch(() => undefined);
  if (stats === undefined) return compare();
  const exclusions = await ledger.exclusions();
  const parts = [
    [path.resolve(file), column],
    [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].map(String),
    runs.map(({ id, state }) => [id, state === "planning"]),
    migration.map(({ target, supplier, endpoint, records }) => [target, supplier, endpoint, records]),
    exclusions.map(({ identity, at }) => [Buffer.from(identity).toString("hex"), at]),
  ];
  const basis = hash("sha256", JSON.stringify(parts));
  const stored = path.join(store.folder, "inventory.json");
  const known = await readCounts(stored);
  if (known?.basis === basis) return known.counts;
  const isSettled = clock.now() - Number(stats.mtimeMs > stats.ctimeMs ? stats.mtimeMs : stats.ctimeMs) > SETTLED_MS;
  const counts = await compare();
  // If the counts cannot be stored, this `status` does not fail, but the next one takes longer.
  if (isSettled) await storeCounts(stored, { version: 1, basis, counts }).catch(() => undefined);
  return counts;
}

function storeCounts(file: string, counts: StoredCounts): Promise<void> {
  return replaceFile(file, `${JSON.stringify(counts)}\n`, { durable: false });
}

async function readCounts(file: string): Promise<StoredCounts | undefined> {
  try {
    return storedSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}
