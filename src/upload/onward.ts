import type { Answer } from "../platform/judged-request.ts";
import type { DeliveryTools, Finish } from "./delivery-tools.ts";
import type { Settlement } from "../ledger/ledger.ts";
import { arrivedAt, interrupted, intentFor, type Parcel, settlementFor, withDoubt } from "./parcel.ts";
import type { Position, Sightings } from "./route.ts";
import type { UploadParts } from "./sendable.ts";

/** How a record goes on after an answer. Both may wait, and reject when the ledger does. */
export interface Onward {
  /** The same once more, after a while. */
  readonly retry: (parcel: Parcel, answer: Answer, afterMs: number) => Promise<void>;
  /** To the next step, to another look at what became of this one, or to its end. */
  readonly go: (parcel: Parcel, answer: Answer, end: (parcel: Parcel, answer: Answer) => void) => Promise<void>;
}

/** Looks come less often the longer nothing changes: up to so many intervals apart. */
const WIDEST = 8;

export function createOnward(parts: UploadParts, tools: DeliveryTools, finish: Finish): Onward {
  const { clock } = parts;
  const { backlog, halt, route } = tools;
  const resend = createResend(parts, tools, finish);
  const advance = createAdvance(parts, tools, finish);

  /** Nothing is written down: the intent stands, and to look changes nothing. */
  const lookAgain = async (parcel: Parcel, answer: Answer, afterMs: number): Promise<void> => {
    backlog.rest(1);
    await clock.sleep(afterMs, halt.stopping);
    backlog.rest(-1);
    if (halt.stopping.aborted) finish(parcel, interrupted(answer, parcel), answer);
    else backlog.putBack(parcel);
  };

  return {
    retry: (parcel, answer, afterMs) =>
      parcel.at.mode === "send" ? resend(parcel, answer, afterMs) : lookAgain(parcel, answer, afterMs),
    async go(parcel, answer, end) {
      const { step } = parcel.at;
      const turn = route.after(answer, parcel.at, sightings(parcel, answer, clock.monotonic()));
      if (turn.kind === "advance") await advance(parcel, answer, turn.to);
      else if (turn.kind === "look") await lookAgain(parcel, answer, nextLook(parcel));
      else if (turn.kind === "send") {
        Object.assign(parcel, arrivedAt({ step, mode: "send" }), { inDoubt: false });
        backlog.putBack(parcel);
      } else {
        // The platform took it, and knows nothing of it any more.
        if (answer.verdict.kind === "absent") parcel.inDoubt = true;
        end(parcel, answer);
      }
    },
  };
}

/** What looking has shown so far, this answer included. */
function sightings(parcel: Parcel, { verdict: { kind } }: Answer, now: number): Sightings {
  const isNothingThere = kind === "absent" || (kind === "rejected" && parcel.at.mode === "check");
  parcel.absences = isNothingThere ? parcel.absences + 1 : 0;
  parcel.lookedForSince ??= now;
  const isPatienceOver = now - parcel.lookedForSince >= (parcel.at.step.status?.patienceMs ?? 0);
  return { inDoubt: parcel.inDoubt, absences: parcel.absences, isPatienceOver };
}

/** Milliseconds until the next look. */
function nextLook(parcel: Parcel): number {
  const apart = Math.min(2 ** parcel.looks, WIDEST);
  parcel.looks += 1;
  parcel.tries = 0;
  return apart * (parcel.at.step.status?.intervalMs ?? 0);
}

/**
 * The step is done: that is written down together with the intent for what comes next, so that no crash can fall
 * in between. Without a next step the record stays `pending` there.
 */
function createAdvance(
  { clock }: UploadParts,
  { journal, backlog, halt }: DeliveryTools,
  finish: Finish,
): (parcel: Parcel, answer: Answer, to: Position | undefined) => Promise<void> {
  return async (parcel, answer, to) => {
    const done = { status: "pending", reason: "done", step: parcel.at.step.name } as const;
    if (parcel.at.mode !== "send" || !parcel.at.step.harmless) parcel.inDoubt = false;
    if (to === undefined || halt.stopping.aborted) {
      finish(parcel, done, answer);
      return;
    }
    const settlement = settlementFor(parcel, done, { clock, answer });
    const alone = settlementFor(parcel, withDoubt(done, parcel), { clock, answer });
    Object.assign(parcel, arrivedAt(to));
    parcel.attempt += 1;
    await journal.intend([intentFor(parcel, clock)], [{ settlement, alone }]);
    backlog.putBack(parcel);
  };
}

/**
 * The attempt is settled as `pending`, and the record has a new one after a while. A refused attempt is settled at
 * once; a record in doubt stays in doubt until its next attempt is due, which a crash in between must not hide.
 */
function createResend(
  { clock }: UploadParts,
  { journal, backlog, halt, onSaved }: DeliveryTools,
  finish: Finish,
): (parcel: Parcel, answer: Answer, afterMs: number) => Promise<void> {
  const end = (parcel: Parcel, answer: Answer): void => finish(parcel, interrupted(answer, parcel), answer);
  const settlementOf = (parcel: Parcel, answer: Answer): Settlement =>
    settlementFor(parcel, { ...interrupted(answer, parcel), status: "pending" }, { clock, answer });

  const afterDoubt = async (parcel: Parcel, answer: Answer, afterMs: number): Promise<void> => {
    await clock.sleep(afterMs, halt.stopping);
    if (halt.stopping.aborted) {
      end(parcel, answer);
      return;
    }
    const alone = settlementFor(parcel, withDoubt(interrupted(answer, parcel), parcel), { clock, answer });
    const settlement = settlementOf(parcel, answer);
    parcel.attempt += 1;
    await journal.intend([intentFor(parcel, clock)], [{ settlement, alone }]);
    backlog.putBack(parcel);
  };

  const afterRefusal = async (parcel: Parcel, answer: Answer, afterMs: number): Promise<void> => {
    if (halt.stopping.aborted) {
      end(parcel, answer);
      return;
    }
    const settlement = settlementOf(parcel, answer);
    const saved = new Promise<void>((resolve) => {
      journal.settle(settlement, resolve);
    });
    await clock.sleep(afterMs, halt.stopping);
    if (halt.stopping.aborted) {
      backlog.drop();
      await saved;
      onSaved(settlement);
      return;
    }
    parcel.attempt += 1;
    await journal.intend([intentFor(parcel, clock)]);
    backlog.putBack(parcel);
  };

  return (parcel, answer, afterMs) => (parcel.inDoubt ? afterDoubt : afterRefusal)(parcel, answer, afterMs);
}
