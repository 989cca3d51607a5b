import type { RecordState } from "./record-state.ts";

/** Records with an intent and no outcome: queued, in flight, or waiting to be sent again. */
export interface SendQueue {
  /** Adds records whose intents are durable. */
  readonly take: (states: readonly RecordState[]) => void;
  /**
   * Removes and returns the first record that fits. Without a condition, or if no record fits, removes and returns the
   * first record. Returns undefined if the queue is empty.
   */
  readonly next: (fits?: (state: RecordState) => boolean) => RecordState | undefined;
  /** Removes this record. Returns false if it is not in the queue. */
  readonly remove: (state: RecordState) => boolean;
  /** Returns a record to the front of the queue to be sent again. */
  readonly putBack: (state: RecordState) => void;
  /**
   * Counts records that wait for a later request. Up to `MAX_WAITING` of them give up their places to other records.
   */
  readonly countWaiting: (change: 1 | -1) => void;
  /** Call this when a record has its outcome. */
  readonly recordDone: () => void;
  /**
   * Returns the number of further records that may get an intent. It is 0 while more than twice `inFlight` records are
   * queued or in flight. Otherwise the total is at most four times `inFlight`, including up to twice `inFlight` waiting
   * records.
   */
  readonly room: (inFlight: number) => number;
  /** Closes the queue to new records. */
  readonly close: () => void;
  /** True when the queue is closed and no record is left. */
  readonly isOver: () => boolean;
  /** Aborts when the queue is closed and no record is left. */
  readonly over: AbortSignal;
  /** True if `fits` is false for every record in the queue. Default: true only if the queue is empty. */
  readonly isIdle: (fits?: (state: RecordState) => boolean) => boolean;
  /** Resolves when the queue may have changed, and when `notify` is called. */
  readonly changed: () => Promise<void>;
  readonly notify: () => void;
}

/**
 * Maximum number of waiting records that give up their places to other records. Each waiting record keeps its payload
 * in memory.
 */
const MAX_WAITING = 1000;

export function createSendQueue(): SendQueue {
  const queue: RecordState[] = [];
  let active = 0;
  let waiting = 0;
  let closed = false;
  let listeners: (() => void)[] = [];
  const over = new AbortController();

  const isOver = (): boolean => closed && active === 0;
  const notify = (): void => {
    if (isOver()) over.abort();
    const woken = listeners;
    listeners = [];
    for (const resolve of woken) resolve();
  };

  return {
    take(states) {
      active += states.length;
      queue.push(...states);
      notify();
    },
    next: (fits = anyRecord) => queue.splice(Math.max(0, queue.findIndex(fits)), 1)[0],
    remove(state) {
      const at = queue.indexOf(state);
      if (at >= 0) queue.splice(at, 1);
      return at >= 0;
    },
    putBack(state) {
      queue.unshift(state);
      notify();
    },
    countWaiting(change) {
      waiting += change;
      notify();
    },
    recordDone() {
      active -= 1;
      notify();
    },
    room(inFlight) {
      const intended = active - Math.min(waiting, MAX_WAITING);
      if (intended > 2 * inFlight) return 0;
      // Leaves room for the waiting records, because each of them gets another intent when it is sent.
      return Math.max(0, Math.min(2 * inFlight, 4 * inFlight - intended - Math.min(waiting, 2 * inFlight)));
    },
    close() {
      closed = true;
      notify();
    },
    isOver,
    over: over.signal,
    isIdle: (fits = anyRecord) => !queue.some(fits),
    changed: () =>
      new Promise((resolve) => {
        listeners.push(resolve);
      }),
    notify,
  };
}

function anyRecord(): boolean {
  return true;
}
