import type { RequestResult } from "../platform/import/classified-request.ts";
import type { StepClient } from "../platform/import/step-clients.ts";
import type { RecordToSend, UploadOptions } from "./upload-types.ts";

/**
 * Where a record is on its way through the steps. `send`: the step is to be sent. `check`: it may have been sent, and is
 * asked for before it is sent again. `wait`: it was sent, and its end is asked for.
 */
export interface WorkflowPosition {
  readonly step: StepClient;
  readonly mode: "send" | "check" | "wait";
}

/** What follows from an answer that is not to be tried again. */
type NextAction =
  | { readonly kind: "conclude" }
  /** The step is done; `undefined`: and so is all that was asked for. */
  | { readonly kind: "advance"; readonly to: WorkflowPosition | undefined }
  /** Ask again after a while. */
  | { readonly kind: "look" }
  /** It never arrived: send it. */
  | { readonly kind: "send" };

/** The way of every record: the steps in order, as far as it is to be gone. */
export interface StepOrder {
  /** Where a record goes on, from the last step that was done for its content. */
  readonly start: (sendable: Pick<RecordToSend, "step" | "isAmbiguous">) => WorkflowPosition;
  readonly nextAction: (answer: RequestResult, at: WorkflowPosition, seen: PollHistory) => NextAction;
}

/** What was learnt by looking. */
export interface PollHistory {
  readonly isAmbiguous: boolean;
  /** Looks in a row, this one included, that found nothing under way. */
  readonly notFoundCount: number;
  readonly isTimedOut: boolean;
}

/** Once may be too early: a request that got no answer may still be on its way. */
const NOT_FOUND_POLLS = 2;

export function createStepOrder(steps: readonly StepClient[], until: UploadOptions["until"]): StepOrder {
  const [first] = steps;
  if (first === undefined) throw new Error("A workflow has at least one step.");

  const stepAfter = (step: StepClient, inDoubt: boolean): WorkflowPosition | undefined => {
    const next = step.name === until ? undefined : steps[steps.indexOf(step) + 1];
    return next === undefined ? undefined : positionAt(next, inDoubt);
  };

  return {
    start({ step: done, isAmbiguous }) {
      const step = done === undefined ? undefined : steps.find(({ name }) => name === done);
      if (step === undefined) return positionAt(first, isAmbiguous);
      if (step.status !== undefined) return { step, mode: isAmbiguous ? "check" : "wait" };
      return stepAfter(step, isAmbiguous) ?? positionAt(step, isAmbiguous);
    },
    nextAction(answer, at, seen) {
      const { replyClass } = answer;
      if (at.mode === "check") return actionAfterCheck(answer, at, seen);
      if (replyClass.kind === "waiting" || replyClass.kind === "absent") {
        return { kind: seen.isTimedOut ? "conclude" : "look" };
      }
      if (replyClass.kind !== "accepted" || isAlreadyOnPlatform(answer)) return { kind: "conclude" };
      if (at.mode === "send" && at.step.status !== undefined) return advanceTo({ step: at.step, mode: "wait" });
      const isLast = at.step === steps.at(-1);
      return isLast ? { kind: "conclude" } : { kind: "advance", to: stepAfter(at.step, seen.isAmbiguous) };
    },
  };
}

function positionAt(step: StepClient, inDoubt: boolean): WorkflowPosition {
  return { step, mode: inDoubt && step.status !== undefined ? "check" : "send" };
}

function advanceTo(to: WorkflowPosition): NextAction {
  return { kind: "advance", to };
}

/** A refusal that is found may be that of an earlier request: only what is there or under way settles the doubt. */
function actionAfterCheck(
  { replyClass }: RequestResult,
  at: WorkflowPosition,
  { notFoundCount }: PollHistory,
): NextAction {
  if (replyClass.kind === "waiting") return advanceTo({ ...at, mode: "wait" });
  if (replyClass.kind !== "absent" && replyClass.kind !== "rejected") return { kind: "conclude" };
  return { kind: notFoundCount >= NOT_FOUND_POLLS ? "send" : "look" };
}

/**
 * A reply that is accepted, is no success and carries an account number: the record is on the platform already, and the
 * steps left over are passed over ("already imported", PLATFORM 2.3 and 2.15).
 */
export function isAlreadyOnPlatform({ replyClass, http = 0 }: RequestResult): boolean {
  return replyClass.kind === "accepted" && replyClass.account !== undefined && http >= 300;
}
