import { NEEDS_WORK } from "../model/outcome.ts";
import type { InputRecord } from "../model/row.ts";
import type { PrivateFolder } from "./private-file.ts";
import {
  type KnownColumns,
  openRejectBook,
  type RejectBook,
  type RejectBookOptions,
  type Rejects,
} from "./reject-book.ts";
import { rejectRows } from "./reject-rows.ts";
import { type RejectedBatch, rejectedRecords } from "./rejected-records.ts";
import type { Report } from "./report.ts";
import { countOf } from "./summary-json.ts";

export interface RejectsOptions extends RejectBookOptions {
  /**
   * Reads the input again from its beginning; the numbers and places of the records are those of the run. Absent when
   * the input can no longer be read: then there are no rejects.
   */
  readonly records?: (() => AsyncIterable<readonly InputRecord[]>) | undefined;
}

/**
 * Starts the files with the original rows of the records that need work, one for each source (docs/errors.md,
 * "Rejects"): `rejects.csv` for the root, `rejects.<source>.csv` for its children, `.ndjson` for JSON sources. Fed back
 * in together they are those records again. Memory does not grow with the input.
 * @throws Failure `source_changed` when the input is no longer what it was, `storage`
 */
export async function draftRejects(folder: PrivateFolder, report: Report, options: RejectsOptions): Promise<Rejects> {
  const { records } = options;
  if (records === undefined || countOf(report.summary, NEEDS_WORK) === 0) return { files: [], leftOut: 0 };
  const columns: KnownColumns = new Map();
  const pass = (): Promise<Rejects | undefined> =>
    onePass(openRejectBook(folder, columns, options), rejectedRecords(report, records()));
  const rejects = (await pass()) ?? (await pass());
  if (rejects === undefined) throw new Error("the columns of the rejects changed between two readings");
  return rejects;
}

/** Undefined when a column turned up after its file had been begun; the next pass then knows it. */
async function onePass(book: RejectBook, batches: AsyncIterable<RejectedBatch>): Promise<Rejects | undefined> {
  for await (const { batch, rejected, last } of batches) {
    for (const record of batch) book.see(record);
    for (const { record, outcome } of rejected) {
      const [own, ...joined] = rejectRows(record, outcome);
      // Rows joined to one that is left out would be orphans.
      if (own === undefined || !book.add(own, outcome.key)) continue;
      for (const entry of joined) book.add(entry, outcome.key);
    }
    await book.flush();
    if (last && book.hasSeenAll()) break;
  }
  return book.finish();
}
