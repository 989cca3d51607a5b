import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 collect garbage less often. An input streams through the heap, so V8 assumes that the heap is growing. V8
 * then marks the heap about ten times a second, on threads that the run needs. With this flag, V8 waits until the heap
 * is four times its size after the last collection. Call this function before any code is cached, because the code
 * cache is valid only for the flags that were set when the code was compiled.
 */
export function collectGarbageLessOften(): void {
  setFlag("--heap-growing-percent=300", 26);
}

/**
 * Keeps the heap close to the size of its live data. Use this function instead of `collectGarbageLessOften` for a
 * server, which runs for days and is mostly idle.
 */
export function keepHeapSmall(): void {
  setFlag("--heap-growing-percent=40", 26);
}

/**
 * Delays the optimisation of functions by a factor of about four. This suits a run that reads its input once. By
 * default, V8 optimises loops over bytes so early that it often discards the optimised code, and every thread repeats
 * this. Node.js versions after 20 use other criteria for optimisation.
 */
export function optimiseLater(): void {
  setFlag("--interrupt-budget=264000", 20);
}

/**
 * Prevents SIGUSR1 from opening the debugger of Node.js, which can read every token of the process. The listener
 * replaces the default handler for the whole process, including its threads. Windows has no such signal.
 */
export function ignoreDebuggerSignal(): void {
  if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
}

/**
 * Returns Node.js options that prevent a signal from opening the debugger in a child process. Returns no options if
 * Node.js has no such option, or if `process.execArgv` already contains it.
 */
export function withoutDebuggerSignal(): readonly string[] {
  const option = "--disable-sigusr1";
  return process.allowedNodeEnvironmentFlags.has(option) && !process.execArgv.includes(option) ? [option] : [];
}

/**
 * Sets a flag of V8.
 * @param last the newest Node.js version that is known to support the flag; V8 prints a warning for an unknown flag
 */
function setFlag(flag: string, last: number): void {
  const major = Number.parseInt(process.versions.node, 10);
  if (major <= last) setFlagsFromString(flag);
}
