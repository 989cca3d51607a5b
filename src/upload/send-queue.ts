import type { RecordState } from "./record-state.ts";

/** The records that are on their way: waiting for a slot, in flight, or waiting to be sent once more. */
export interface SendQueue {
  /** Takes records whose intents are durable. */
  readonly take: (states: readonly RecordState[]) => void;
  /** The first that may go; once halted, simply the first. */
  readonly next: (mayGo?: (state: RecordState) => boolean) => RecordState | undefined;
  /** A state that is to be sent again, before all others. */
  readonly putBack: (state: RecordState) => void;
  /** Records that wait for something that takes its time make room for others, as long as they are not too many. */
  readonly countWaiting: (change: 1 | -1) => void;
  /** One record less is on its way. */
  readonly recordDone: () => void;
  /** True when at most so many records are on their way. */
  readonly isBelow: (load: number) => boolean;
  /** No more will come. */
  readonly close: () => void;
  /** True when no more will come and none is left. */
  readonly isOver: () => boolean;
  /** True when none is there that may go. */
  readonly isIdle: (mayGo?: (state: RecordState) => boolean) => boolean;
  /** Resolves when something may have changed, here or by `notify`. */
  readonly changed: () => Promise<void>;
  readonly notify: () => void;
}

/** Each holds its payload. */
const MAX_WAITING = 1000;

export function createSendQueue(): SendQueue {
  const queue: RecordState[] = [];
  let load = 0;
  let resting = 0;
  let closed = false;
  let waiting: (() => void)[] = [];

  const notify = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };

  return {
    take(states) {
      load += states.length;
      queue.push(...states);
      notify();
    },
    next: (mayGo = anyone) => queue.splice(Math.max(0, queue.findIndex(mayGo)), 1)[0],
    putBack(state) {
      queue.unshift(state);
      notify();
    },
    countWaiting(change) {
      resting += change;
      notify();
    },
    recordDone() {
      load -= 1;
      notify();
    },
    isBelow: (most) => load - Math.min(resting, MAX_WAITING) <= most,
    close() {
      closed = true;
      notify();
    },
    isOver: () => closed && load === 0,
    isIdle: (mayGo = anyone) => !queue.some(mayGo),
    changed: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    notify,
  };
}

function anyone(): boolean {
  return true;
}
