import type { Clock } from "../../../src/time/clock.ts";
import { never, type SimulatedClock } from "../simulated-clock.ts";

/** A process of a simulated machine, which may die or freeze. */
export interface SimulatedProcess {
  readonly pid: number;
  readonly machine: number;
  /** The process's clock. A sleep does not end while the process is frozen, and never ends in a dead process. */
  readonly clock: Clock;
  readonly isDead: () => boolean;
  readonly isFrozen: () => boolean;
  /** Resolves as soon as the process is not frozen; never in a dead process. */
  readonly untilThawed: () => Promise<void>;
  readonly kill: () => void;
  readonly freeze: (ms: number) => void;
  readonly thaw: () => void;
  /** Acts like SIGTERM. A frozen process receives it after it thaws. */
  readonly stop: () => void;
  readonly drain: AbortSignal;
  /** Called when the process has finished its work. */
  readonly end: () => void;
  readonly isOver: () => boolean;
  /** Resolves when the process has ended or is dead. */
  readonly ended: Promise<void>;
}

export function createProcess(pid: number, machine: number, clock: SimulatedClock): SimulatedProcess {
  const [death, end, drain] = [new AbortController(), new AbortController(), new AbortController()];
  let frozenUntil = 0;
  const isDead = (): boolean => death.signal.aborted;
  const isFrozen = (): boolean => !isDead() && frozenUntil > clock.monotonic();
  const untilThawed = async (): Promise<void> => {
    while (isFrozen()) await clock.sleep(Math.min(1_000, frozenUntil - clock.monotonic()));
    if (isDead()) await never();
  };
  return {
    pid,
    machine,
    clock: clock.of({ isDead, untilThawed }),
    isDead,
    isFrozen,
    untilThawed,
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
    stop: () => void untilThawed().then(() => drain.abort()),
    drain: drain.signal,
    end: () => end.abort(),
    isOver: () => end.signal.aborted,
    ended: new Promise((resolve) => end.signal.addEventListener("abort", () => resolve())),
  };
}
