/** Runs work that keeps the event loop waiting. */
type Around = <T>(work: () => T) => T;

let around: Around = (work) => work();

/**
 * Runs synchronous work that may take long and leaves nothing half done: in a program of its own, SIGINT and SIGTERM end the
 * process at once meanwhile. A listener would be called only after the work.
 */
export function interruptible<T>(work: () => T): T {
  return around(work);
}

/** Says what is done around such work; a library leaves the signals of its program alone. */
export function setAroundInterruptible(next: Around): void {
  around = next;
}
