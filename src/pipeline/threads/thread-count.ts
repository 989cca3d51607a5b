import { availableParallelism } from "node:os";
import type { Threads } from "../../options/option-row.ts";
import type { Mapping } from "../../map/mapping.ts";
import type { Input } from "../../read/input/open-input.ts";

/** With more threads, the thread that reads and collects is the bottleneck. */
const MOST_THREADS = 8;

/** A smaller input is read before more threads have started. */
const LARGE_BYTES = 8_000_000;

interface CheckedJob {
  readonly input: Input;
  readonly mapping: Mapping;
}

/**
 * The number of threads that check records; 1 means only the calling thread. If the mapping calls functions, each
 * thread has an additional thread for them, which is also counted.
 */
export function threadsFor({ input, mapping }: CheckedJob, threads: Threads): number {
  const all = threads === "auto" ? threadsForSize(input) : threads;
  return mapping.prepare === undefined ? all : Math.max(1, Math.floor(all / 2));
}

function threadsForSize({ files }: CheckedJob["input"]): number {
  const bytes = files.reduce((sum, file) => sum + file.unpackedBytes, 0);
  return bytes < LARGE_BYTES ? 1 : Math.min(availableParallelism(), MOST_THREADS);
}
