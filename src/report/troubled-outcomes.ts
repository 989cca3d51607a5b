import { STATUSES, type Outcome, type Status } from "../model/outcome.ts";
import type { Report } from "./report.ts";

/** A record with one of these can have warnings, but no errors. */
const CLEAN: ReadonlySet<Status> = new Set(["valid", "accepted", "skipped"]);
const NOT_CLEAN: readonly Status[] = STATUSES.filter((status) => !CLEAN.has(status));

/** The outcomes that have problems; clean records are passed over unread when the run has no warnings. */
export async function* troubledOutcomes({ summary, outcomes }: Report): AsyncGenerator<readonly Outcome[]> {
  const warnings = Object.keys(summary.warnings).length > 0;
  for await (const batch of warnings ? outcomes() : outcomes(NOT_CLEAN)) {
    const troubled = batch.filter(({ problems }) => problems.length > 0);
    if (troubled.length > 0) yield troubled;
  }
}
