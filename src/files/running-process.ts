import { readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "./error-code.ts";

/**
 * Whether the process that had this pid and this start time still runs. Where start times cannot be read, any process
 * of that pid counts: better to wait for a stranger than to write beside a live run.
 */
export function isRunning(pid: number, start?: string): boolean {
  if (!existsNow(pid)) return false;
  const found = processStart(pid);
  return start === undefined || found === undefined || found === start;
}

/**
 * When a process started, in clock ticks since the host's boot, with the boot's id: Linux only (proc(5): field 22 of
 * `/proc/<pid>/stat`, counted after the command, which may hold spaces and brackets).
 */
export function processStart(pid: number): string | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const ticks = stat
    ?.slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .at(FIELD_AFTER_COMMAND);
  const boot = read(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  return ticks === undefined || boot === undefined ? undefined : `${boot.trim()}/${ticks}`;
}

/** Fields 1 (pid) and 2 (command) are before it: 22 - 3. */
const FIELD_AFTER_COMMAND = 19;

/** Names the space that this process's pids belong to (a container has its own); undefined off Linux. */
export function pidNamespace(): string | undefined {
  return read(() => readlinkSync("/proc/self/ns/pid"));
}

function existsNow(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return errorCode(error) === "EPERM";
  }
}

function read(work: () => string): string | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
