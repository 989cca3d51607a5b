import type { RequestResult } from "../platform/import/classified-request.ts";
import type { StepClient } from "../platform/import/step-clients.ts";
import type { RecordToSend, UploadOptions } from "./upload-types.ts";

/**
 * Where a record is among the steps. `send`: the step is to be sent. `check`: it may have been sent, and is polled before
 * it is sent again. `wait`: it was sent, and is polled until it ends.
 */
export interface WorkflowPosition {
  readonly step: StepClient;
  readonly mode: "send" | "check" | "wait";
}

/** What follows from a reply that is not to be tried again. */
type NextAction =
  /** The record gets its outcome. */
  | { readonly kind: "finish" }
  /** The step is done; `undefined`: and it was the last one that was asked for. */
  | { readonly kind: "advance"; readonly to: WorkflowPosition | undefined }
  /** Ask again after a while. */
  | { readonly kind: "poll" }
  /** It never arrived. */
  | { readonly kind: "send" };

/** The steps that every record passes through, in order, up to the one that was asked for. */
export interface StepOrder {
  /** Where a record goes on after the last step that was done for its content. */
  readonly start: (toSend: Pick<RecordToSend, "step" | "isAmbiguous">) => WorkflowPosition;
  readonly nextAction: (result: RequestResult, at: WorkflowPosition, history: PollHistory) => NextAction;
}

/** What was learnt by polling. */
export interface PollHistory {
  readonly isAmbiguous: boolean;
  /** Polls in a row, this one included, that found nothing. */
  readonly notFoundCount: number;
  readonly isTimedOut: boolean;
}

/** One is too early: a request that got no reply may still be on its way. */
const NOT_FOUND_POLLS = 2;

export function createStepOrder(steps: readonly StepClient[], until: UploadOptions["until"]): StepOrder {
  const [first] = steps;
  if (first === undefined) throw new Error("A workflow has at least one step.");

  const stepAfter = (step: StepClient, isAmbiguous: boolean): WorkflowPosition | undefined => {
    const next = step.name === until ? undefined : steps[steps.indexOf(step) + 1];
    return next === undefined ? undefined : positionAt(next, isAmbiguous);
  };

  return {
    start({ step: done, isAmbiguous }) {
      const step = done === undefined ? undefined : steps.find(({ name }) => name === done);
      if (step === undefined) return positionAt(first, isAmbiguous);
      // A step that was answered is never sent again, whatever polling has found since.
      if (step.status !== undefined) return { step, mode: "wait" };
      return stepAfter(step, isAmbiguous) ?? positionAt(step, isAmbiguous);
    },
    nextAction(result, at, history) {
      const { replyClass } = result;
      if (at.mode === "check") return actionAfterCheck(result, at, history);
      if (replyClass.kind === "waiting" || replyClass.kind === "absent") {
        return { kind: history.isTimedOut ? "finish" : "poll" };
      }
      if (replyClass.kind !== "accepted" || isAlreadyOnPlatform(result)) return { kind: "finish" };
      if (at.mode === "send" && at.step.status !== undefined) return advanceTo({ step: at.step, mode: "wait" });
      const isLast = at.step === steps.at(-1);
      return isLast ? { kind: "finish" } : { kind: "advance", to: stepAfter(at.step, history.isAmbiguous) };
    },
  };
}

function positionAt(step: StepClient, isAmbiguous: boolean): WorkflowPosition {
  return { step, mode: isAmbiguous && step.status !== undefined ? "check" : "send" };
}

function advanceTo(to: WorkflowPosition): NextAction {
  return { kind: "advance", to };
}

/** A refusal that is found may be that of an earlier request: only what is there or under way tells what became of it. */
function actionAfterCheck(
  { replyClass }: RequestResult,
  at: WorkflowPosition,
  { notFoundCount }: PollHistory,
): NextAction {
  if (replyClass.kind === "waiting") return advanceTo({ ...at, mode: "wait" });
  if (replyClass.kind !== "absent" && replyClass.kind !== "rejected") return { kind: "finish" };
  return { kind: notFoundCount >= NOT_FOUND_POLLS ? "send" : "poll" };
}

/**
 * A reply that is accepted, is no success and carries an account number: the record is on the platform already ("already
 * imported" in published contracts of the platform), and the steps that are left are skipped.
 */
export function isAlreadyOnPlatform({ replyClass, http = 0 }: RequestResult): boolean {
  return replyClass.kind === "accepted" && replyClass.account !== undefined && http >= 300;
}
