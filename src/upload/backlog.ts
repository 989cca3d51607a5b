import type { Parcel } from "./parcel.ts";
import type { Sendable } from "./sendable.ts";

/** The records that are on their way: waiting for a slot, in flight, or waiting to be sent once more. */
export interface Backlog {
  /** Takes records whose intents are durable. */
  readonly take: (sendables: readonly Sendable[]) => void;
  readonly next: () => Parcel | undefined;
  /** A parcel that is to be sent again, before all others. */
  readonly putBack: (parcel: Parcel) => void;
  /** One record less is on its way. */
  readonly drop: () => void;
  /** True when at most so many records are on their way. */
  readonly isBelow: (load: number) => boolean;
  /** No more will come. */
  readonly close: () => void;
  /** True when no more will come and none is left. */
  readonly isOver: () => boolean;
  readonly isIdle: () => boolean;
  /** Resolves when something may have changed, here or by `notify`. */
  readonly changed: () => Promise<void>;
  readonly notify: () => void;
}

export function createBacklog(): Backlog {
  const queue: Parcel[] = [];
  let load = 0;
  let closed = false;
  let waiting: (() => void)[] = [];

  const notify = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };

  return {
    take(sendables) {
      load += sendables.length;
      for (const sendable of sendables) {
        queue.push({ sendable, attempt: sendable.attempts + 1, tries: 0, inDoubt: sendable.inDoubt, ticket: 0 });
      }
      notify();
    },
    next: () => queue.shift(),
    putBack(parcel) {
      queue.unshift(parcel);
      notify();
    },
    drop() {
      load -= 1;
      notify();
    },
    isBelow: (most) => load <= most,
    close() {
      closed = true;
      notify();
    },
    isOver: () => closed && load === 0,
    isIdle: () => queue.length === 0,
    changed: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
    notify,
  };
}
