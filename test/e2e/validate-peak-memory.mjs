// Loaded before the program: on exit, writes the peak memory in kilobytes to the file that PEAK_MEMORY_FILE names.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";

process.once("exit", () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(peakKb())));

/**
 * Returns the peak memory of this process. On Linux, `maxRSS` of a new process is at least the memory of the process
 * that started it.
 */
function peakKb() {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
