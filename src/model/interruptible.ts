/** Runs work that blocks the event loop. */
type Around = <T>(work: () => T) => T;

let around: Around = (work) => work();

/**
 * Runs synchronous work that may take a long time and leaves nothing incomplete if it is interrupted. In a standalone
 * program, SIGINT and SIGTERM end the process immediately during this work, because a listener would run only after the
 * work.
 */
export function interruptible<T>(work: () => T): T {
  return around(work);
}

/**
 * Sets the function that runs such work. A library sets none, so that the signal handling of its host program stays
 * unchanged.
 */
export function setAroundInterruptible(next: Around): void {
  around = next;
}
