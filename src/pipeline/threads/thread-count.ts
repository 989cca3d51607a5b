import { availableParallelism } from "node:os";
import type { Threads } from "../../options/option-row.ts";
import type { Mapping } from "../../map/mapping.ts";
import type { Input } from "../../read/input/open-input.ts";

/**
 * Maximum number of threads. With more threads, the calling thread, which reads and collects, would be the bottleneck.
 */
const MAX_THREADS = 8;

/** Minimum size of a large input. A smaller input may be checked before other threads have started. */
const LARGE_BYTES = 8_000_000;

interface CheckedJob {
  readonly input: Pick<Input, "files" | "chunked" | "joined">;
  readonly mapping: Pick<Mapping, "prepare">;
}

export interface ThreadPlan {
  /** The number of threads that check records; 1 means only the calling thread. */
  readonly threads: number;
  /** Whether the other threads start only if the calling thread is slow (`createHelpTest`). */
  readonly onlyIfSlow: boolean;
}

/**
 * Returns the number of threads for an input. With `auto`, a large input uses all threads immediately. A smaller input
 * uses them only when checking is slow, and only if it can be read in chunks. If the mapping calls functions, each
 * thread has an additional thread for these calls. In this case, the number of threads is halved, and a smaller input
 * uses one thread.
 */
export function threadsFor({ input, mapping }: CheckedJob, threads: Threads): ThreadPlan {
  const all = threads === "auto" ? Math.min(availableParallelism(), MAX_THREADS) : threads;
  const maximum = mapping.prepare === undefined ? all : Math.max(1, Math.floor(all / 2));
  if (threads !== "auto" || bytesOf(input.files) >= LARGE_BYTES) return { threads: maximum, onlyIfSlow: false };
  const canStartLate = mapping.prepare === undefined && (input.chunked ?? input.joined) !== undefined;
  return { threads: canStartLate ? maximum : 1, onlyIfSlow: canStartLate };
}

export function bytesOf(files: Input["files"]): number {
  return files.reduce((sum, file) => sum + file.unpackedBytes, 0);
}

/** Minimum duration of a slow check. A faster check ends before other threads would help. */
const SLOW_AFTER_MS = 1000;
const MIN_LEFT_MS = 2000;

/**
 * Returns a function that must be called with the size of each checked part. It returns true if more threads would
 * help: the check has taken at least a second, and the rest would take more than two seconds at the same speed.
 */
export function createHelpTest(
  ofBytes: number,
  now: () => number = () => performance.now(),
): (bytes: number) => boolean {
  const start = now();
  let checked = 0;
  return (bytes) => {
    checked += bytes;
    const elapsed = now() - start;
    return elapsed >= SLOW_AFTER_MS && (ofBytes - checked) * elapsed > MIN_LEFT_MS * checked;
  };
}
