import { Failure } from "../model/failure.ts";
import { NEEDS_WORK, type Outcome } from "../model/outcome.ts";
import type { InputRecord } from "../model/row.ts";
import type { Report } from "./report.ts";

/** A batch of the input, and those of its records that need work. */
export interface RejectedBatch {
  readonly batch: readonly InputRecord[];
  readonly rejected: readonly { readonly record: InputRecord; readonly outcome: Outcome }[];
  /** No later record needs work. */
  readonly last: boolean;
}

/**
 * Reads the input beside the outcomes that need work, both in input order.
 * @throws Failure `source_changed` when a record is not where it was during the run
 */
export async function* rejectedRecords(
  report: Report,
  records: AsyncIterable<readonly InputRecord[]>,
): AsyncGenerator<RejectedBatch> {
  const wanted = eachOutcome(report);
  let next = await wanted.next();
  for await (const batch of records) {
    const rejected: { record: InputRecord; outcome: Outcome }[] = [];
    for (const record of batch) {
      if (next.done || next.value.record > record.number) continue;
      rejected.push({ record, outcome: sameRecord(next.value, record) });
      next = await wanted.next();
    }
    yield { batch, rejected, last: next.done === true };
  }
  if (!next.done) throw changed(next.value);
}

async function* eachOutcome({ outcomes }: Report): AsyncGenerator<Outcome, undefined> {
  for await (const batch of outcomes([...NEEDS_WORK])) yield* batch;
  return undefined;
}

function sameRecord(outcome: Outcome, { number, row }: InputRecord): Outcome {
  const { record, source } = outcome;
  if (record === number && source.file === row.table.file && source.line === row.line) return outcome;
  throw changed(outcome);
}

function changed({ record, source }: Outcome): Failure {
  return new Failure("source_changed", `record ${record} is no longer where it was during the run`, {
    place: source,
    hint: "the input has changed since; run the same command again",
  });
}
