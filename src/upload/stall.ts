import type { Clock } from "../model/clock.ts";
import { Failure } from "../model/failure.ts";

/** Watches how long nothing has come through, and ends the run after `maxWaitMs` of it. */
export interface Stall {
  /** A request could not leave. The failure that ends the run, or undefined to go on trying. */
  readonly unsent: (code: string, reason: string) => Failure | undefined;
  /** The platform pushed a request back. As above. */
  readonly pushedBack: (afterMs: number | undefined) => Failure | undefined;
  /** A reply of any kind: the platform can be reached. */
  readonly reached: () => void;
  /** A record came through. */
  readonly moved: () => void;
}

export function createStall(maxWaitMs: number, clock: Pick<Clock, "monotonic">): Stall {
  let unsentSince: number | undefined;
  let stuckSince: number | undefined;
  let everReached = false;

  return {
    unsent(code, reason) {
      unsentSince ??= clock.monotonic();
      if (code === "ENOTFOUND" && !everReached) return unknownHost(reason);
      return clock.monotonic() - unsentSince >= maxWaitMs ? unreachable(reason, maxWaitMs) : undefined;
    },
    pushedBack(afterMs = 0) {
      stuckSince ??= clock.monotonic();
      const waited = clock.monotonic() - stuckSince;
      return afterMs > maxWaitMs || waited >= maxWaitMs ? pushedBackTooLong(afterMs, maxWaitMs) : undefined;
    },
    reached() {
      unsentSince = undefined;
      everReached = true;
    },
    moved() {
      stuckSince = undefined;
    },
  };
}

const AGAIN = "run the same command or `migrate resume`: it goes on where it stopped";

function unknownHost(reason: string): Failure {
  return new Failure("usage", reason, { hint: "check the host name in the base URL" });
}

function unreachable(reason: string, maxWaitMs: number): Failure {
  return new Failure("platform_unreachable", `${reason}, for ${seconds(maxWaitMs)}`, { hint: AGAIN });
}

function pushedBackTooLong(afterMs: number, maxWaitMs: number): Failure {
  const what =
    afterMs > maxWaitMs
      ? `the platform asks to come back in ${seconds(afterMs)}`
      : `the platform has let nothing through for ${seconds(maxWaitMs)}`;
  return new Failure("incomplete", what, { hint: AGAIN });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
