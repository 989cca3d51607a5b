import { setFlagsFromString } from "node:v8";

/**
 * An input streams through the heap, so V8 assumes that the heap grows and marks it about ten times a second, on
 * threads that the work needs. With this flag, all threads wait until the heap is four times its size after the last
 * collection. Call this before any code is cached, because the code cache is only valid for the flags used at compile
 * time.
 */
export function collectGarbageLessOften(): void {
  setFlag("--heap-growing-percent=300", 26);
}

/**
 * A server runs for days and is mostly idle: its heap stays close to the size of its live data. Call this instead of
 * `collectGarbageLessOften`.
 */
export function keepHeapSmall(): void {
  setFlag("--heap-growing-percent=40", 26);
}

/**
 * V8 optimises a function after it has run for a while. For loops over bytes it often has to discard this optimised
 * code, and every thread repeats this. A delay that is four times as long suits a run that reads through an input once.
 * Node.js versions after 20 use other criteria.
 */
export function optimiseLater(): void {
  setFlag("--interrupt-budget=264000", 20);
}

/**
 * Prevents SIGUSR1 from opening Node's debugger, which can read every token of the process. A listener replaces that
 * handler for the whole process, including its threads. Windows has no such signal.
 */
export function ignoreDebuggerSignal(): void {
  if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
}

/**
 * Node.js options that stop a signal from opening the debugger in a child process. Empty if Node.js has no such option.
 */
export function withoutDebuggerSignal(): readonly string[] {
  const option = "--disable-sigusr1";
  return process.allowedNodeEnvironmentFlags.has(option) && !process.execArgv.includes(option) ? [option] : [];
}

/**
 * Sets a flag of V8, which prints a warning for an unknown flag.
 * @param last the newest Node.js version known to support it
 */
function setFlag(flag: string, last: number): void {
  const major = Number.parseInt(process.versions.node, 10);
  if (major <= last) setFlagsFromString(flag);
}
