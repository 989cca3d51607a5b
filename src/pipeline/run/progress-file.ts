import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { replaceFile } from "../../files/replace-file.ts";
import type { RunProgress } from "../../job/run-progress.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { STATUSES } from "../../model/outcome.ts";

/** Where a run leaves word of its progress while it is at work, for `status`. Holds no values. */
export function progressPath({ folder }: Pick<LedgerStore, "folder">, run: string): string {
  return path.join(folder, "journal", `progress-${run}.json`);
}

/** Whole or not at all. It may be lost with the power: the ledger knows all that matters. */
export function writeProgress(file: string, progress: RunProgress): Promise<void> {
  return replaceFile(file, `${JSON.stringify(progress)}\n`, { durable: false });
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}

/** Older than this, the process that wrote it is no longer heard of: it is stuck, or on another machine. */
const FRESH_MS = 15_000;

/** The latest word of a run; undefined where there is none, or it is old, or another version wrote it. */
export function readProgress(file: string, now: number): RunProgress | undefined {
  try {
    const { data } = progressSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return data !== undefined && now - Date.parse(data.at) <= FRESH_MS ? data : undefined;
  } catch {
    return undefined;
  }
}

const count = z.number();

const progressSchema: z.ZodType<RunProgress> = z.object({
  run: z
    .object({
      id: z.string(),
      command: z.string(),
      target: z.string(),
      supplier: z.string(),
      operation: z.string(),
    })
    .optional(),
  at: z.string(),
  elapsedMs: count,
  input: z.object({ bytes: count, ofBytes: count, records: count, invalid: count }),
  sending: z
    .object({
      total: count,
      done: count,
      counts: z.partialRecord(z.enum(STATUSES), count),
      inFlight: count,
      perSecond: count,
      leftMs: count.optional(),
      pace: z.object({ limit: count.optional(), perSecond: count.optional(), reason: z.string().optional() }),
      wait: z.object({ reason: z.string(), forMs: count }).optional(),
      closedSuppliers: z.array(z.string()),
      sharing: z.object({ workers: count, ranges: z.object({ waiting: count, taken: count, done: count }) }).optional(),
      replies: z.object({ count, totalMs: count }),
    })
    .optional(),
});
