import { NEEDS_WORK } from "../../model/outcome.ts";
import type { InputRecord } from "../../model/record.ts";
import type { Input } from "../../read/input/open-input.ts";
import { countRecords, type Report } from "../../report/report.ts";
import { bytesOf } from "../threads/thread-count.ts";

/** Limits on the records held in memory, including their joined rows. */
const MAX_RECORDS = 10_000;
const MAX_BYTES = 16_000_000;

/**
 * Yields the records needed to write the rejects. If only a few records need work and none of them is an orphan, reads
 * and joins only these records and the first rows of each source, which provide its columns. Otherwise, yields all
 * records of the input.
 */
export async function* rejectedInput(input: Input, report: Report): AsyncGenerator<readonly InputRecord[]> {
  const numbers = await numbersOfFew(input, report);
  if (numbers === undefined) {
    yield* input.records();
    return;
  }
  yield await input.samples();
  yield await input.find({ isWanted: (_row, number) => numbers.has(number), limit: numbers.size });
}

/**
 * Returns the numbers of the records that need work; undefined if there are too many, or if one of them is an orphan.
 */
async function numbersOfFew(
  { files, rootFiles }: Input,
  { summary, outcomes }: Report,
): Promise<ReadonlySet<number> | undefined> {
  const count = countRecords(summary, NEEDS_WORK);
  const share = count / Math.max(1, summary.records);
  if (count > MAX_RECORDS || share * bytesOf(files) > MAX_BYTES) return undefined;
  const numbers = new Set<number>();
  for await (const batch of outcomes([...NEEDS_WORK])) {
    for (const { record, source } of batch) {
      if (!rootFiles.has(source.file)) return undefined;
      numbers.add(record);
    }
  }
  return numbers;
}
