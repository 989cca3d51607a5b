import { availableParallelism } from "node:os";
import type { Threads } from "../../job/settings/recorded-settings.ts";
import type { Input } from "../../read/input/open-input.ts";

/** Beyond these, the thread that reads and collects is the one that the others wait for. */
const MOST_THREADS = 8;

/** A smaller input is read before further threads have started. */
const LARGE_BYTES = 8_000_000;

/** How many threads check the records of an input; 1: the one that there is. */
export function threadsFor({ files }: Pick<Input, "files">, threads: Threads): number {
  if (threads !== "auto") return threads;
  const bytes = files.reduce((sum, file) => sum + file.unpackedBytes, 0);
  return bytes < LARGE_BYTES ? 1 : Math.min(availableParallelism(), MOST_THREADS);
}
