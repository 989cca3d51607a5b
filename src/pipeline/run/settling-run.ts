import type { Operation } from "../../contract/operations/operation.ts";
import type { PlanLedger } from "../../ledger/packed/plan-ledger.ts";
import type { Report } from "../../report/report.ts";
import { mayResumeSettle } from "./next-command.ts";

/** Whether a resumed run may settle one of its ambiguous records. */
export async function mayResumeSettleAny(
  { summary, outcomes }: Report,
  operation: Operation | undefined,
): Promise<boolean> {
  if (operation === undefined || (summary.counts.ambiguous ?? 0) === 0) return false;
  for await (const batch of outcomes(["ambiguous"])) {
    if (batch.some((outcome) => mayResumeSettle(outcome, operation))) return true;
  }
  return false;
}

/** Number of ambiguous records whose last requests are looked up. */
const MAX_KEYS = 10;

/**
 * Returns the run that sent the last request for the first ambiguous records of this run, with different content. Only
 * that run can settle these records. Returns undefined if this run can settle one of them.
 */
export async function otherRunToReconcile(
  ledger: PlanLedger,
  run: string,
  { counts }: Report["summary"],
): Promise<string | undefined> {
  if ((counts.ambiguous ?? 0) === 0 || ledger.undecidedByKey === undefined) return undefined;
  for await (const batch of ledger.outcomes(run, { statuses: ["ambiguous"] })) {
    const keys = batch.slice(0, MAX_KEYS).flatMap(({ key }) => key ?? []);
    const senders = (await ledger.undecidedByKey(run, "ambiguous", keys)).map(({ sentBy }) => sentBy);
    return senders.includes(undefined) ? undefined : senders[0];
  }
  return undefined;
}
