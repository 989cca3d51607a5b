import type { Job } from "../../job/job.ts";
import { columnsIn } from "../../ledger/packed/item-columns.ts";
import { packItems } from "../../ledger/packed/packed-items.ts";
import type { ExcludedRow } from "../../ledger/records/planned-item.ts";
import type { Problem } from "../../model/problem.ts";
import type { InputRecord } from "../../model/record.ts";
import { mapRecord, readRecords } from "./check-records.ts";
import { createItemBuilder, type ItemSettings, type PlannedBatch } from "./plan-items.ts";

/**
 * Yields the batches, then the orphans that may belong to the records in the batches. `--only` and `--limit` leave out
 * orphans, but a selected record must not be sent without its child rows. To find the orphans, reads the joined input
 * again.
 */
export async function* withSelectedOrphans(
  batches: AsyncIterable<PlannedBatch>,
  job: Job,
  { items, signal }: { readonly items: ItemSettings; readonly signal: AbortSignal },
): AsyncGenerator<PlannedBatch> {
  const { settings, input } = job;
  const isSelection = settings.only !== undefined || settings.limit !== undefined;
  if (!isSelection || input.files.every(({ file }) => input.rootFiles.has(file))) {
    yield* batches;
    return;
  }
  const selected = new Set<number>();
  for await (const batch of batches) {
    for (const record of columnsIn(batch.items.columns).records) selected.add(record);
    yield batch;
  }
  if (selected.size === 0) return;
  const build = createItemBuilder(job, items);
  for await (const records of readRecords(job, signal)) {
    const orphans = records.filter((record) => !selected.has(record.number) && isOrphanOf(record, selected));
    if (orphans.length === 0) continue;
    const { items: built, excluded, ...batch } = build(orphans.map((orphan) => mapRecord(orphan, job)));
    const isSelected = ({ record }: ExcludedRow): boolean => record !== undefined && selected.has(record);
    yield { ...batch, items: packItems(built), excluded: excluded.filter(({ row }) => isSelected(row)) };
  }
}

function isOrphanOf({ orphan, problems }: InputRecord, selected: ReadonlySet<number>): boolean {
  return orphan && problems.some((problem) => nearRecords(problem).some(({ record }) => selected.has(record)));
}

function nearRecords(problem: Problem): readonly { readonly record: number }[] {
  if (problem.code !== "source_orphan_row" || !("near" in problem) || problem.near === undefined) return [];
  return [problem.near, ...(problem.alsoNear ?? [])].flatMap(({ records }) => records);
}
