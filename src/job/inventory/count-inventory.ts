import { hash } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { Ledger, RunQueries } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { Exclusion } from "../../ledger/records/exclusions.ts";
import { identitiesOf } from "../../ledger/records/record-hashes.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import type { WallClock } from "../../time/clock.ts";
import type { ComparedLedger, InventoryOptions } from "./compare-inventory.ts";
import { type InventoryState, isPlannedPush, platformsOf, stateOfNumber } from "./inventory-state.ts";
import type { InventoryFile } from "./inventory-keys.ts";
import {
  type CountedPlatform,
  indexOfKey,
  type KeyMarks,
  marksOf,
  marksWithout,
  readCount,
  readCounts,
  storeCount,
  type StoredCount,
} from "./stored-counts.ts";

interface CountDependencies extends ComparedLedger {
  readonly store: LedgerStore;
  readonly ledger: Ledger;
  /** All runs of the ledger. */
  readonly runs: readonly Run[];
  readonly clock: WallClock;
}

/**
 * Counts the keys of an inventory, as `compareInventory` does. The first count reads the inventory and the keys of all
 * pushes, and stores hashes of the missing keys next to the ledger. Later counts read only the keys of later pushes,
 * until the inventory file changes. Memory: at most 32 bytes per key.
 */
export async function countInventory(
  { inventory, temporaryFolder }: InventoryOptions,
  { store, ledger, runs, migration, clock }: CountDependencies,
): Promise<readonly InventoryState[]> {
  const platforms = platformsOf(migration);
  if (typeof inventory === "number") return platforms.map((platform) => stateOfNumber(platform, inventory));
  const { basis, isSettled } = await inspect(inventory, clock);
  const exclusions = await ledger.exclusions();
  let all: KeyMarks | undefined;
  const states: InventoryState[] = [];
  for (const { target, operation, destinations } of platforms) {
    const stored = await readCount(store.folder, { target, destinations });
    let count = stored?.basis === basis ? await withLaterPushes(stored, runs, ledger) : undefined;
    if (count === undefined) {
      const { inventoryKeys } = await import("./inventory-keys.ts");
      all ??= await marksOf(inventoryKeys(inventory, temporaryFolder));
      const none = { basis, target, destinations, expected: all.length, runs: [], missing: all };
      count = (await withLaterPushes(none, runs, ledger)) ?? none;
    }
    // If a count cannot be stored, this `status` does not fail, but the next `status` takes longer.
    if (isSettled && count !== stored) await storeCount(store.folder, count).catch(() => undefined);
    const missing = count.missing.length - countExcluded(count, exclusions);
    states.push({ target, operation, expected: count.expected, seen: count.expected - missing, missing });
  }
  return states;
}

/**
 * Adds the pushes of the ledger to the stored counts, so that the next `countInventory` does not have to read their
 * keys. Does nothing without stored counts.
 */
export async function updateCounts({ folder }: LedgerStore, ledger: RunQueries): Promise<void> {
  const counts = await readCounts(folder);
  if (counts.length === 0) return;
  const runs = await ledger.runs();
  for (const stored of counts) {
    const count = await withLaterPushes(stored, runs, ledger);
    if (count !== undefined && count !== stored) await storeCount(folder, count);
  }
}

/**
 * Counts are not stored until the inventory file has been unchanged for this long. Until then, the file could change
 * again without getting a new modification time, because file systems round times.
 */
const SETTLED_MS = 3_000;

/**
 * Inspects an inventory file. `basis` identifies its content by the path, column, inode, size and times. `isSettled` is
 * false for a file that is missing or was changed recently.
 */
async function inspect(
  inventory: InventoryFile,
  clock: WallClock,
): Promise<{ readonly basis: string; readonly isSettled: boolean }> {
  const { file, column } = typeof inventory === "string" ? { file: inventory } : inventory;
  const stats = await stat(file, { bigint: true }).catch(() => undefined);
  if (stats === undefined) return { basis: "", isSettled: false };
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = stats;
  const parts = [path.resolve(file), column, [dev, ino, size, mtimeNs, ctimeNs].map(String)];
  const changedAt = Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs);
  return { basis: hash("sha256", JSON.stringify(parts)), isSettled: clock.now() - changedAt > SETTLED_MS };
}

/**
 * Adds the pushes that the count does not contain.
 * @returns the same count if there are no such pushes; undefined if the ledger lacks a counted push, for example
 * because the ledger was restored
 */
async function withLaterPushes(
  count: StoredCount,
  runs: readonly Run[],
  ledger: RunQueries,
): Promise<StoredCount | undefined> {
  const pushes = runs.filter((run) => isPlannedPush(run) && isSentTo(run, count)).map(({ id }) => id);
  const counted = new Set(count.runs);
  const later = pushes.filter((id) => !counted.has(id));
  if (pushes.length !== counted.size + later.length) return undefined;
  if (later.length === 0) return count;
  const isSeen = new Uint8Array(count.missing.length);
  for (const id of later) {
    for await (const keys of plannedKeys(ledger, id)) {
      for (const key of keys) {
        const index = indexOfKey(count.missing, canonicalKey(key));
        if (index !== undefined) isSeen[index] = 1;
      }
    }
  }
  return { ...count, runs: pushes, missing: marksWithout(count.missing, (index) => isSeen[index] === 1) };
}

async function* plannedKeys(ledger: RunQueries, run: string): AsyncGenerator<readonly string[]> {
  const { counts } = await ledger.summary(run);
  const records = Object.values(counts).reduce((sum, each) => sum + each, 0);
  for (let from = 1; from <= records; from += KEYS_AT_ONCE) {
    yield await ledger.plannedKeys(run, from, from + KEYS_AT_ONCE - 1);
  }
}

const KEYS_AT_ONCE = 10_000;

function isSentTo(run: Run, { target, destinations }: CountedPlatform): boolean {
  const isDestination = destinations.some(
    ({ endpoint, supplier }) => run.endpoint === endpoint && run.supplier === supplier,
  );
  return run.target === target && isDestination;
}

function countExcluded({ destinations, missing }: StoredCount, exclusions: readonly Exclusion[]): number {
  const excluded = exclusions.filter(({ key, identity }) =>
    destinations.some((destination) => Buffer.from(identitiesOf(destination)(key)).equals(identity)),
  );
  const keys = new Set(excluded.map(({ key }) => key));
  return [...keys].filter((key) => indexOfKey(missing, key) !== undefined).length;
}
