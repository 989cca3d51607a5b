import { availableParallelism } from "node:os";
import type { Threads } from "../../options/option-row.ts";
import type { Mapping } from "../../map/mapping.ts";
import type { Input } from "../../read/input/open-input.ts";

/** With more threads, the thread that reads and collects is the bottleneck. */
const MAX_THREADS = 8;

/** A smaller input may be read before more threads have started. */
const LARGE_BYTES = 8_000_000;

interface CheckedJob {
  readonly input: Pick<Input, "files" | "chunked" | "joined">;
  readonly mapping: Pick<Mapping, "prepare">;
}

export interface ThreadPlan {
  /** The number of threads that check records; 1 means only the calling thread. */
  readonly threads: number;
  /** Whether the other threads start only when the calling thread turns out to need long (`createHelpTest`). */
  readonly onlyIfSlow: boolean;
}

/**
 * If the mapping calls functions, each thread has an additional thread for them, which is also counted. With `auto`, a
 * large input gets all threads immediately, and an input in chunks gets them when it is slow.
 */
export function threadsFor({ input, mapping }: CheckedJob, threads: Threads): ThreadPlan {
  const all = threads === "auto" ? Math.min(availableParallelism(), MAX_THREADS) : threads;
  const most = mapping.prepare === undefined ? all : Math.max(1, Math.floor(all / 2));
  if (threads !== "auto" || bytesOf(input) >= LARGE_BYTES) return { threads: most, onlyIfSlow: false };
  const canStartLate = mapping.prepare === undefined && (input.chunked ?? input.joined) !== undefined;
  return { threads: canStartLate ? most : 1, onlyIfSlow: canStartLate };
}

export function bytesOf({ files }: Pick<Input, "files">): number {
  return files.reduce((sum, file) => sum + file.unpackedBytes, 0);
}

/** Shorter checks end before other threads would help. */
const SLOW_AFTER_MS = 1000;
const MIN_LEFT_MS = 2000;

/**
 * Returns a function that takes the size of each checked part and determines whether other threads would help: the
 * check has taken a second, and at the same speed the rest takes more than two.
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
