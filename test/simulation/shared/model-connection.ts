import { Failure } from "../../../src/model/failure.ts";
import { between, type Dice } from "../../seeded-dice.ts";
import { never, type SimulatedClock } from "../simulated-clock.ts";
import type { ModelConnection } from "./model-shared-run.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** The network between processes and the server. */
export interface ModelNetwork {
  /** Makes the server unreachable for `ms` milliseconds, for one process or (default) for all processes. */
  readonly cut: (ms: number, process?: SimulatedProcess) => void;
  /** Sets the share of transactions whose replies are lost. */
  readonly loses: (share: number) => void;
  readonly clear: () => void;
  /** The database was restored, so the results of earlier transactions are unknown. */
  readonly restored: () => void;
  readonly to: (process: SimulatedProcess) => ModelConnection;
}

/** How long a process waits for an unreachable server. */
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 2_000;

export function createNetwork(clock: SimulatedClock, dice: Dice): ModelNetwork {
  const cutUntil = new Map<SimulatedProcess | undefined, number>();
  let lost = 0;
  let restores = 0;
  const isReachable = (process: SimulatedProcess): boolean =>
    Math.max(cutUntil.get(undefined) ?? 0, cutUntil.get(process) ?? 0) <= clock.monotonic();

  /** Repeats a transaction until its reply arrives or the process gives up. */
  const untilAnswered = async <Result>(process: SimulatedProcess, attempt: () => Answer<Result>): Promise<Result> => {
    let since: number | undefined;
    for (let pause = 100; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await clock.sleep(between(dice, 1, 15));
      await untilSent(process, dice);
      if (isReachable(process)) {
        const answer = attempt();
        const isLost = dice() < lost;
        if (dice() < 0.3) await process.clock.sleep(between(dice, 1, 15));
        else await process.untilThawed();
        if (!isLost && "failure" in answer) throw answer.failure;
        if (!isLost && "result" in answer) return answer.result;
      }
      since ??= clock.monotonic();
      if (clock.monotonic() - since >= PATIENCE_MS) throw away();
      await process.clock.sleep(pause);
    }
  };

  return {
    cut: (ms, process) => void cutUntil.set(process, clock.monotonic() + ms),
    loses(share) {
      lost = share;
    },
    clear() {
      cutUntil.clear();
      lost = 0;
    },
    restored() {
      restores += 1;
    },
    to: (process) => ({
      once<Result>(fence: () => void, work: () => Result) {
        let done: Answer<Result> | undefined;
        let before = restores;
        return untilAnswered(process, () => {
          if (before !== restores) done = undefined;
          before = restores;
          const isFenced = answerOf(fence);
          if ("failure" in isFenced) return isFenced;
          done ??= answerOf(work);
          return done;
        });
      },
      retryIfLost: (work) => untilAnswered(process, () => answerOf(work)),
    }),
  };
}

type Answer<Result> = { readonly result: Result } | { readonly failure: unknown };

function answerOf<Result>(work: () => Result): Answer<Result> {
  try {
    return { result: work() };
  } catch (error) {
    return { failure: error };
  }
}

/** Waits until a message is sent. If the sending process dies or freezes, the message may or may not be sent. */
async function untilSent(process: SimulatedProcess, dice: Dice): Promise<void> {
  if (process.isDead() && dice() < 0.5) await never();
  if (process.isFrozen() && dice() < 0.5) await process.untilThawed();
}

function away(): Failure {
  return new Failure("storage", "the server is unreachable", {});
}
