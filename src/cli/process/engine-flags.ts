import { setFlagsFromString } from "node:v8";

/**
 * The bytes of an input pass through the heap, so V8 takes it for growing and marks it anew some ten times a second, in
 * threads that the work itself has need of. From here on it waits until the heap is four times what was left of it the
 * last time, in all threads. To be called before any code is cached: code is kept for the flags that it was compiled with.
 */
export function collectLessOften(): void {
  setFlag("--heap-growing-percent=300", 26);
}

/**
 * V8 optimises a function once it has run for a while. What it has learnt of a loop over bytes by then it often has to take
 * back, and each thread learns it anew: to wait four times as long suits a run that does nothing but go through an input.
 * Versions behind Node.js 20 decide in another way.
 */
export function optimiseLater(): void {
  setFlag("--interrupt-budget=264000", 20);
}

/**
 * SIGUSR1 opens Node's debugger, which can read every token of the process. A listener takes the place of that handler, for
 * the whole process with its threads. Windows has no such signal.
 */
export function ignoreDebuggerSignal(): void {
  if (process.platform !== "win32") process.on("SIGUSR1", () => undefined);
}

/** Options for Node.js with which a process of this program never opens a debugger by a signal; none where it has no such. */
export function withoutDebuggerSignal(): readonly string[] {
  const option = "--disable-sigusr1";
  return process.allowedNodeEnvironmentFlags.has(option) && !process.execArgv.includes(option) ? [option] : [];
}

/** V8 complains on the screen of a flag that it does not know. @param last the newest Node.js that is known to have it */
function setFlag(flag: string, last: number): void {
  const major = Number.parseInt(process.versions.node, 10);
  if (major <= last) setFlagsFromString(flag);
}
