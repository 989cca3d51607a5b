import { stepNameIn } from "../../contract/operations/completed-step.ts";
import type { SendableItem } from "../../ledger/records/requests.ts";
import { hasReachedStep, type StepLimit } from "../send/records-to-send.ts";

/** Finds the pending records that have not reached the step `until`. */
export interface LeftRecords {
  /** Call this for each record to send. `completed`: the record's completed step, as the ledger stores it. */
  readonly noteDue: (record: number, completed: string) => void;
  readonly isLeft: (item: Pick<SendableItem, "record" | "step">) => boolean;
}

/**
 * Only the payload shows whether a step was completed with the fields to send. A record that was passed to `noteDue`
 * therefore counts as left until the ledger stores another completed step.
 */
export function createLeftRecords(limit: StepLimit): LeftRecords {
  const outdated = new Map<number, string>();
  const isReached = (completed: string): boolean => hasReachedStep(stepNameIn(completed), limit);
  return {
    noteDue(record, completed) {
      if (isReached(completed)) outdated.set(record, completed);
    },
    isLeft({ record, step }) {
      if (step === undefined || step === outdated.get(record) || !isReached(step)) return true;
      outdated.delete(record);
      return false;
    },
  };
}
