import type { RecordState } from "./record-state.ts";

/** The records that have an intent and no outcome: in the queue, in flight, or waiting to be sent once more. */
export interface SendQueue {
  /** Takes records whose intents are durable. */
  readonly take: (states: readonly RecordState[]) => void;
  /** Takes the first record that fits; without a condition the first. */
  readonly next: (fits?: (state: RecordState) => boolean) => RecordState | undefined;
  /** Takes this record out; false where it is not in the queue. */
  readonly remove: (state: RecordState) => boolean;
  /** Takes back a record that is to be sent again, before all others. */
  readonly putBack: (state: RecordState) => void;
  /** Records that wait for a later request make room for others, up to `MAX_WAITING` of them. */
  readonly countWaiting: (change: 1 | -1) => void;
  /** A record has its outcome. */
  readonly recordDone: () => void;
  /**
   * How many records more may get an intent, when so many may be in flight: none as long as twice as many are without an
   * outcome, and never more than four times as many with an intent.
   */
  readonly room: (inFlight: number) => number;
  /** No more will come. */
  readonly close: () => void;
  /** True when no more will come and none is left. */
  readonly isOver: () => boolean;
  /** Aborts when no more will come and none is left. */
  readonly over: AbortSignal;
  /** True when no record in the queue fits. */
  readonly isIdle: (fits?: (state: RecordState) => boolean) => boolean;
  /** Resolves when something may have changed, here or by `notify`. */
  readonly changed: () => Promise<void>;
  readonly notify: () => void;
}

/** Each holds its payload in memory. */
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
      // Each record that waits gets an intent again when it is sent.
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
