import { parseAttr } from "../json/attr.ts";
import type { Decision } from "../ledger/records/requests.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { isNewAccount, type LookupResult } from "../platform/reading/lookup-result.ts";
import { timestamp } from "../time/clock.ts";
import type { UndecidedContext, UndecidedRecord } from "./undecided-records.ts";

export interface DecisionContext extends UndecidedContext {
  /** Account name of the user who runs the command, or `migrate` for the decisions of a push. */
  readonly who: string;
  /**
   * Whether to accept a record that the platform has, although only its key can be compared. Never accepts a record
   * whose last request had different content.
   */
  readonly acceptsKeyOnly?: boolean | undefined;
}

/**
 * Decides the outcome of a record based on the content that the platform has. If no decision is possible, returns the
 * reason as a string.
 */
export function decisionFor(
  record: UndecidedRecord,
  lookup: LookupResult,
  context: DecisionContext,
): Decision | string {
  const { clock } = context.dependencies;
  const made = {
    record: record.record,
    identity: record.identity,
    by: "read-back",
    who: context.who,
    at: timestamp(clock),
  } as const;
  if (lookup.kind === "unknown") return lookup.reason;
  if (lookup.kind === "absent" && record.status === "existing") return NOT_FOUND;
  if (lookup.kind === "absent") {
    const reason = notResentReason(record, context);
    return reason ?? { ...made, decision: "resend", reason: "two queries did not find the record on the platform" };
  }
  const { account } = lookup;
  const found = {
    ...made,
    ...(account !== undefined && { account, isNewAccount: isNewAccount(record, account, context.job.accountOwner) }),
  };
  if (lookup.kind === "found") {
    const { compared } = lookup;
    if (compared.length > 0) {
      const reason = `the platform has the record, with the same values: ${compared.join(", ")}`;
      return { ...found, decision: "accepted", reason };
    }
    const open = openAfterKey(record, context);
    const decided = record.mayHoldOther ? " (decided with --accept-found)" : "";
    return open ?? { ...found, decision: "accepted", reason: `the platform has the record${decided}` };
  }
  return {
    ...found,
    decision: "rejected",
    reason: `the platform has the record with different values: ${lookup.attrs.join(", ")}`,
    problems: lookup.attrs.map((attr) => conflictAt(attr, record, context)),
  };
}

/** Returns the reason why a record stays open although the platform has its key. */
export function openAfterKey(
  { mayHoldOther, isAsSent }: Pick<UndecidedRecord, "mayHoldOther" | "isAsSent">,
  { acceptsKeyOnly = false }: Pick<DecisionContext, "acceptsKeyOnly">,
): string | undefined {
  if (!mayHoldOther) return undefined;
  if (!isAsSent) return NOT_SENT;
  return acceptsKeyOnly ? undefined : NOT_COMPARED;
}

const NOT_FOUND = "the platform rejected the record as already existing, but a query did not find it";
const NOT_COMPARED =
  "the platform has the record, perhaps with different content, and only its key could be compared " +
  "(`match` in x-migrate-read-back); `migrate reconcile --accept-found` accepts it";
const NOT_SENT =
  "the platform has the record, perhaps with different content, and its content was not compared, because the content " +
  "of the last request differs from the content in this run (`migrate explain <key>` names the run that sent it)";

function notResentReason({ resends, step }: UndecidedRecord, { job }: DecisionContext): string | undefined {
  const last = job.operation.steps.at(-1);
  if (last?.poll !== undefined && step === last.name) {
    return `the platform scheduled the record, but does not have it yet (${OVERRIDE})`;
  }
  if (!job.operation.readBack.some(({ provesAbsence }) => provesAbsence)) {
    return `the platform does not have the record, but the contract does not treat absence as proof (no \`absent: resend\`; ${OVERRIDE})`;
  }
  if (resends === 0) return undefined;
  return `the platform does not have the record, and it was already sent again once (${OVERRIDE})`;
}

/** Hint at the end of the reason why `reconcile` does not send a record again. */
export const OVERRIDE = "`migrate reconcile --resend <key>` overrides this";

function conflictAt(attr: string, { row }: UndecidedRecord, { job }: DecisionContext): PlatformProblem {
  const place = job.mapping.locate(row, parseAttr(attr));
  const detail = "The platform already has this record with a different value here.";
  return { attr, code: "conflict", detail, severity: "error", by: "platform", ...(place !== undefined && { place }) };
}
