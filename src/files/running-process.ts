import { readFileSync, readlinkSync } from "node:fs";
import { errorCode, unlessFailing } from "./error-code.ts";

/**
 * Whether the process with this pid and start time is still running. If start times are not available, any process with
 * that pid is assumed to match. Waiting for an unrelated process is better than writing at the same time as a live run.
 */
export function isRunning(pid: number, start?: string): boolean {
  if (!existsNow(pid)) return false;
  const found = processStart(pid);
  return start === undefined || found === undefined || found === start;
}

/**
 * Returns the start time of a process as `<boot id>/<clock ticks since boot>`. Returns undefined if there is no such
 * process, and on systems other than Linux. See proc(5): field 22 of `/proc/<pid>/stat`. The fields are counted after
 * the command, which may contain spaces and brackets.
 */
export function processStart(pid: number): string | undefined {
  const stat = unlessFailing(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const ticks = stat
    ?.slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .at(FIELD_AFTER_COMMAND);
  const boot = unlessFailing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  return ticks === undefined || boot === undefined ? undefined : `${boot.trim()}/${ticks}`;
}

/** Index of field 22 among the fields after the command. The first of these fields is field 3. */
const FIELD_AFTER_COMMAND = 19;

/** Returns the pid namespace of this process (a container has its own); undefined except on Linux. */
export function pidNamespace(): string | undefined {
  return unlessFailing(() => readlinkSync("/proc/self/ns/pid"));
}

function existsNow(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return errorCode(error) === "EPERM";
  }
}
