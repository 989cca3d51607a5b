import type { RequestResult } from "../platform/import/classified-request.ts";
import type { StepClient } from "../platform/import/step-clients.ts";
import type { RecordToSend, UploadOptions } from "./upload-types.ts";

/**
 * The position of a record in the workflow. `send`: the step must be sent. `check`: the step may have been sent, and is
 * polled before it is sent again. `wait`: the step was sent, and is polled until it completes.
 */
export interface WorkflowPosition {
  readonly step: StepClient;
  readonly mode: "send" | "check" | "wait";
}

/** The action after a reply that is not retried. */
type NextAction =
  /** The record gets its outcome. */
  | { readonly kind: "finish" }
  /** The step is complete. `to` is undefined after the last requested step. */
  | { readonly kind: "advance"; readonly to: WorkflowPosition | undefined }
  /** Poll again later. */
  | { readonly kind: "poll" }
  /** Send the step again, because the request never reached the platform. */
  | { readonly kind: "send" };

/** The steps of every record, in order, up to the last requested step. */
export interface StepOrder {
  /** Returns the position at which a record continues after its last completed step. */
  readonly start: (toSend: Pick<RecordToSend, "step" | "isAmbiguous">) => WorkflowPosition;
  readonly nextAction: (result: RequestResult, at: WorkflowPosition, history: PollHistory) => NextAction;
}

/** Results of polling so far. */
export interface PollHistory {
  readonly isAmbiguous: boolean;
  /** Whether the record, if it is on the platform, certainly has the content that this run sends. */
  readonly isOwnContent: boolean;
  /** Number of consecutive polls that found nothing, including this one. */
  readonly notFoundCount: number;
  readonly isTimedOut: boolean;
}

/**
 * Number of consecutive polls that must find nothing before the step is sent again. One poll is not enough, because a
 * request without a reply may still be in transit.
 */
const NOT_FOUND_POLLS = 2;

export function createStepOrder(steps: readonly StepClient[], until: UploadOptions["until"]): StepOrder {
  const [first] = steps;
  if (first === undefined) throw new Error("the workflow has no steps");

  const stepAfter = (step: StepClient, isAmbiguous: boolean): WorkflowPosition | undefined => {
    const next = step.name === until ? undefined : steps[steps.indexOf(step) + 1];
    return next === undefined ? undefined : positionAt(next, isAmbiguous);
  };

  return {
    start({ step: done, isAmbiguous }) {
      const step = done === undefined ? undefined : steps.find(({ name }) => name === done);
      if (step === undefined) return positionAt(first, isAmbiguous);
      // A step that got a reply from the platform is never sent again, even if polling no longer finds it.
      if (step.status !== undefined) return { step, mode: "wait" };
      return stepAfter(step, isAmbiguous) ?? positionAt(step, isAmbiguous);
    },
    nextAction(result, at, history) {
      const { replyClass } = result;
      if (at.mode === "check") return actionAfterCheck(result, at, history);
      if (replyClass.kind === "waiting" || replyClass.kind === "absent") {
        return { kind: history.isTimedOut ? "finish" : "poll" };
      }
      if (replyClass.kind !== "accepted" || isWholeRecordThere(result)) return { kind: "finish" };
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

/**
 * Returns the action after polling a step that may have been sent. A refusal found by polling may belong to an earlier
 * request, so it counts as not found. After `NOT_FOUND_POLLS` such polls, the step is sent again. If the platform is
 * processing this content, the step changes to `wait`. If it may be processing other content, the step is polled again.
 */
function actionAfterCheck(
  { replyClass }: RequestResult,
  at: WorkflowPosition,
  { notFoundCount, isOwnContent }: PollHistory,
): NextAction {
  if (replyClass.kind === "waiting") return isOwnContent ? advanceTo({ ...at, mode: "wait" }) : { kind: "poll" };
  if (replyClass.kind !== "absent" && replyClass.kind !== "rejected") return { kind: "finish" };
  return { kind: notFoundCount >= NOT_FOUND_POLLS ? "send" : "poll" };
}

/**
 * Whether the platform already had the complete record, with an account number ("already imported" in published
 * contracts of the platform). The remaining steps are then skipped. If the reply has no account number, only the step
 * was already complete.
 */
function isWholeRecordThere({ replyClass }: RequestResult): boolean {
  return replyClass.kind === "accepted" && replyClass.exists === true && replyClass.account !== undefined;
}
