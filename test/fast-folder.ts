import { readFileSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";

/** Linux keeps the files in this folder in memory. */
const MEMORY = "/dev/shm";
/** Free space that the tests need: several times the combined size of the databases and ledgers that exist at once. */
const NEEDED_BYTES = 4 * 2 ** 30;

/**
 * Returns the folder for temporary files of tests. It is in memory if there is enough memory, because on a disk, tests
 * would spend most of their time waiting for ledger writes. The `TMPDIR` variable overrides the folder.
 */
export function fastFolder(): string {
  if (process.env["TMPDIR"] !== undefined || process.platform !== "linux") return tmpdir();
  return memoryIsFree() && programsRunIn(MEMORY) ? MEMORY : tmpdir();
}

function memoryIsFree(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

/**
 * Returns whether programs in the folder can be executed. Docker mounts `/dev/shm` with `noexec`, and some tests
 * install programs in their folder.
 */
function programsRunIn(folder: string): boolean {
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const options = mounts.map((line) => line.split(" ")).find(([, place]) => place === folder)?.[3] ?? "noexec";
  return !options.split(",").includes("noexec");
}
