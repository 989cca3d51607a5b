/** Runs work that blocks the event loop. */
type Around = <T>(work: () => T) => T;

let around: Around = (work) => work();

/**
 * Runs synchronous work that may take a long time and leaves nothing incomplete if it is interrupted. In a standalone
 * program, SIGINT and SIGTERM end the process immediately during this work, because a signal listener could run only
 * after the work ends. Use `interruptibleSoon` where possible.
 */
export function interruptible<T>(work: () => T): T {
  return around(work);
}

/**
 * Does the same as `interruptible`, but first lets the listeners handle all signals that have already arrived. Such a
 * signal would be lost if its listener was removed.
 */
export async function interruptibleSoon<T>(work: () => T): Promise<T> {
  // The event loop receives signals before the second callback, but perhaps not before the first.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return around(work);
}

/**
 * Sets the function that runs interruptible work. A library does not set one, so the signal handling of its host
 * program stays unchanged.
 */
export function setAroundInterruptible(next: Around): void {
  around = next;
}
