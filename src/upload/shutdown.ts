import { setMaxListeners } from "node:events";
import type { Clock } from "../time/clock.ts";
import { Failure } from "../model/failure.ts";
import type { EndCause, UploadOptions } from "./upload-types.ts";

/** Ends an upload early, because of the user, a failure or a bug. The first cause counts. */
export interface Shutdown {
  /** Aborts when no more requests may be started. */
  readonly stopping: AbortSignal;
  /** Aborts when requests in flight must be cancelled. */
  readonly aborted: AbortSignal;
  /** Ends the upload because of an error, which is a Failure or a bug. */
  readonly stop: (error: unknown) => void;
  /**
   * Call this when the upload has ended.
   * @throws the error that stopped the upload, if it is a bug
   */
  readonly end: () => EndCause;
}

const GRACE_MS = 30_000;

export function createShutdown({ drain, abort }: UploadOptions, clock: Clock): Shutdown {
  const stopping = new AbortController();
  const aborted = new AbortController();
  const ended = new AbortController();
  // Every record that waits for a retry adds a listener.
  setMaxListeners(0, stopping.signal, aborted.signal);
  let error: unknown;

  stopping.signal.addEventListener("abort", () => {
    void clock.sleep(GRACE_MS, ended.signal).then(() => aborted.abort());
  });
  const abortAll = (): void => {
    stopping.abort();
    aborted.abort();
  };
  onAbort(drain, () => stopping.abort(), ended.signal);
  onAbort(abort, abortAll, ended.signal);

  return {
    stopping: stopping.signal,
    aborted: aborted.signal,
    stop(cause) {
      if (!stopping.signal.aborted) error = cause;
      stopping.abort();
    },
    end() {
      ended.abort();
      if (!stopping.signal.aborted) return { reason: "done" };
      if (error === undefined) return { reason: "drained" };
      if (error instanceof Failure) return { reason: "stopped", failure: error };
      throw error;
    },
  };
}

function onAbort(signal: AbortSignal, act: () => void, until: AbortSignal): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { once: true, signal: until });
}
