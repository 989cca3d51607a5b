import type { Answer } from "../platform/judged-request.ts";
import type { StepClient } from "../platform/step-clients.ts";
import type { Sendable, UploadOptions } from "./sendable.ts";

/**
 * Where a record is on its way through the steps. `send`: the step is to be sent. `check`: it may have been sent, and is
 * asked for before it is sent again. `wait`: it was sent, and its end is asked for.
 */
export interface Position {
  readonly step: StepClient;
  readonly mode: "send" | "check" | "wait";
}

/** What follows from an answer that is not to be tried again. */
type Turn =
  | { readonly kind: "conclude" }
  /** The step is done; `undefined`: and so is all that was asked for. */
  | { readonly kind: "advance"; readonly to: Position | undefined }
  /** Ask again after a while. */
  | { readonly kind: "look" }
  /** It never arrived: send it. */
  | { readonly kind: "send" };

/** The way of every record: the steps in order, as far as it is to be gone. */
export interface Route {
  /** Where a record goes on, from the last step that was done for its content. */
  readonly start: (sendable: Pick<Sendable, "step" | "inDoubt">) => Position;
  readonly after: (answer: Answer, at: Position, seen: Sightings) => Turn;
}

/** What was learnt by looking. */
export interface Sightings {
  readonly inDoubt: boolean;
  /** Looks in a row, this one included, that found nothing under way. */
  readonly absences: number;
  readonly isPatienceOver: boolean;
}

/** Once may be too early: a request that got no answer may still be on its way. */
const ABSENCES = 2;

export function createRoute(steps: readonly StepClient[], until: UploadOptions["until"]): Route {
  const [first] = steps;
  if (first === undefined) throw new Error("A workflow has at least one step.");

  const stepAfter = (step: StepClient, inDoubt: boolean): Position | undefined => {
    const next = step.name === until ? undefined : steps[steps.indexOf(step) + 1];
    return next === undefined ? undefined : arriving(next, inDoubt);
  };

  return {
    start({ step: done, inDoubt }) {
      const step = done === undefined ? undefined : steps.find(({ name }) => name === done);
      if (step === undefined) return arriving(first, inDoubt);
      if (step.status !== undefined) return { step, mode: inDoubt ? "check" : "wait" };
      return stepAfter(step, inDoubt) ?? arriving(step, inDoubt);
    },
    after(answer, at, seen) {
      const { verdict } = answer;
      if (at.mode === "check") return afterCheck(answer, at, seen);
      if (verdict.kind === "waiting" || verdict.kind === "absent") {
        return { kind: seen.isPatienceOver ? "conclude" : "look" };
      }
      if (verdict.kind !== "accepted" || isThere(answer)) return { kind: "conclude" };
      if (at.mode === "send" && at.step.status !== undefined) return advanced({ step: at.step, mode: "wait" });
      const isLast = at.step === steps.at(-1);
      return isLast ? { kind: "conclude" } : { kind: "advance", to: stepAfter(at.step, seen.inDoubt) };
    },
  };
}

function arriving(step: StepClient, inDoubt: boolean): Position {
  return { step, mode: inDoubt && step.status !== undefined ? "check" : "send" };
}

function advanced(to: Position): Turn {
  return { kind: "advance", to };
}

/** A refusal that is found may be that of an earlier request: only what is there or under way settles the doubt. */
function afterCheck({ verdict }: Answer, at: Position, { absences }: Sightings): Turn {
  if (verdict.kind === "waiting") return advanced({ ...at, mode: "wait" });
  if (verdict.kind !== "absent" && verdict.kind !== "rejected") return { kind: "conclude" };
  return { kind: absences >= ABSENCES ? "send" : "look" };
}

/**
 * A reply that is accepted, is no success and carries an account number: the record is on the platform already, and the
 * steps left over are passed over ("already imported", PLATFORM 2.3 and 2.15).
 */
export function isThere({ verdict, http = 0 }: Answer): boolean {
  return verdict.kind === "accepted" && verdict.account !== undefined && http >= 300;
}
