import type { InputRecord, JoinedRecord } from "../../model/record.ts";
import { BATCH_ROWS } from "../row/read-row.ts";

/** Numbers records consecutively, starting after `before`, and limits the size of batches. */
export async function* numberRecords(
  rows: AsyncIterable<readonly JoinedRecord[]>,
  before: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly InputRecord[]> {
  let number = before;
  for await (const batch of rows) {
    for (let start = 0; start < batch.length; start += BATCH_ROWS) {
      signal?.throwIfAborted();
      yield batch.slice(start, start + BATCH_ROWS).map((found) => {
        number += 1;
        return { number, ...found };
      });
    }
  }
}
