import type { Clock } from "../../../src/time/clock.ts";
import { never, type SimulatedClock } from "../simulated-clock.ts";

/** A process of a simulated machine: it may die, and it may stand still for a while. */
export interface SimulatedProcess {
  readonly pid: number;
  readonly machine: number;
  /** Its time: who sleeps wakes when the process goes on, and never when it is dead. */
  readonly clock: Clock;
  readonly isDead: () => boolean;
  readonly isFrozen: () => boolean;
  /** Resolves when it goes on; never for a dead one. */
  readonly awake: () => Promise<void>;
  readonly kill: () => void;
  readonly freeze: (ms: number) => void;
  readonly thaw: () => void;
  /** As SIGTERM does: heard when it goes on. */
  readonly stop: () => void;
  readonly drain: AbortSignal;
  /** What it does has come to an end. */
  readonly end: () => void;
  readonly isOver: () => boolean;
  /** Resolves when it has ended, or is dead. */
  readonly ended: Promise<void>;
}

export function createProcess(pid: number, machine: number, clock: SimulatedClock): SimulatedProcess {
  const [death, end, drain] = [new AbortController(), new AbortController(), new AbortController()];
  let frozenUntil = 0;
  const isDead = (): boolean => death.signal.aborted;
  const isFrozen = (): boolean => !isDead() && frozenUntil > clock.monotonic();
  const awake = async (): Promise<void> => {
    while (isFrozen()) await clock.sleep(Math.min(1_000, frozenUntil - clock.monotonic()));
    if (isDead()) await never();
  };
  return {
    pid,
    machine,
    clock: clock.of({ isDead, awake }),
    isDead,
    isFrozen,
    awake,
    kill() {
      death.abort();
      end.abort();
    },
    freeze(ms) {
      frozenUntil = clock.monotonic() + ms;
    },
    thaw() {
      frozenUntil = 0;
    },
    stop: () => void awake().then(() => drain.abort()),
    drain: drain.signal,
    end: () => end.abort(),
    isOver: () => end.signal.aborted,
    ended: new Promise((resolve) => end.signal.addEventListener("abort", () => resolve())),
  };
}
