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
 * signal would be lost if its listener was removed. If the event loop stays busy, the listeners remain during the work.
 */
export async function interruptibleSoon<T>(work: () => T): Promise<T> {
  return (await isEventLoopIdle()) ? around(work) : work();
}

/**
 * Waits for a turn of the event loop that is so short that probably no signal has arrived since the loop last checked
 * for signals. Returns false if there is no such turn in `MAX_TURNS` turns.
 */
async function isEventLoopIdle(): Promise<boolean> {
  // The loop may have received signals before this call, so only a turn between two callbacks is measured.
  await new Promise(setImmediate);
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const startedAt = performance.now();
    await new Promise(setImmediate);
    if (performance.now() - startedAt < SHORT_TURN_MS) return true;
  }
  return false;
}

const MAX_TURNS = 20;
const SHORT_TURN_MS = 0.5;

/**
 * Sets the function that runs interruptible work. A library does not set one, so the signal handling of its host
 * program stays unchanged.
 */
export function setAroundInterruptible(next: Around): void {
  around = next;
}
