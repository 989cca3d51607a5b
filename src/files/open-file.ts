import { closeSync, openSync } from "node:fs";

/** Opens a file for reading, or with `r+` also for writing. Closes the file after the work. */
export function withFile<Result>(path: string, work: (file: number) => Result, flags: "r" | "r+" = "r"): Result {
  const file = openSync(path, flags);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
