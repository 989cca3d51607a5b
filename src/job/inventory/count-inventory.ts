import { hash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { replaceFile } from "../../files/replace-file.ts";
import type { Ledger, Run } from "../../ledger/ledger.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { WallClock } from "../../time/clock.ts";
import {
  compareInventory,
  type ComparedLedger,
  type InventoryOptions,
  type InventoryState,
} from "./compare-inventory.ts";

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
