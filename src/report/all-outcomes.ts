import type { Outcome, Status } from "../model/outcome.ts";
import type { Report } from "./report.ts";
import { assertAddsUp } from "./summary-json.ts";

/**
 * Every outcome of the run, in input order, in batches.
 * @throws Error (a bug) at the end when the outcomes are not as many, status by status, as the summary says
 */
export async function* allOutcomes({ summary, outcomes }: Report): AsyncGenerator<readonly Outcome[]> {
  assertAddsUp(summary);
  const seen = new Map<Status, number>();
  for await (const batch of outcomes()) {
    for (const { status } of batch) seen.set(status, (seen.get(status) ?? 0) + 1);
    yield batch;
  }
  assertAddsUp({ records: summary.records, counts: Object.fromEntries(seen) });
  for (const [status, count] of seen) {
    if (count !== summary.counts[status]) {
      throw new Error(
        `the report does not add up: ${count} outcomes are ${status}, not ${summary.counts[status] ?? 0}`,
      );
    }
  }
}
