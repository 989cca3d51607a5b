import type { Ledger } from "../ledger/ledger.ts";
import { hexOf } from "../ledger/records/record-hashes.ts";
import type { Run } from "../ledger/records/run.ts";
import type { Failure } from "../model/failure.ts";
import type { Outcome } from "../model/outcome.ts";
import { type CompareContext, type Comparison, compareRun, notCompared } from "./compare-run.ts";

type LedgerContext = Omit<CompareContext, "isCompared" | "postpone">;

/** A record is `accepted` in the run that sent it. */
function isAccepted({ status }: Outcome): boolean {
  return status === "accepted";
}

/**
 * Compares the accepted records of all runs. `runs`: latest first. A record is listed only in the run whose content is
 * on the platform. If this run cannot be compared, for example because its input has changed, the record is compared in
 * the latest run that skipped it because its content was the same.
 */
export async function* compareAll(runs: readonly Run[], context: LedgerContext): AsyncGenerator<readonly Comparison[]> {
  const { ledger, dependencies } = context;
  const postponed = new Map<Run, Failure>();
  const postpone = (run: Run, reason: Failure): void => void postponed.set(run, reason);
  for (const run of runs) yield* listed(compareRun(run, { ...context, isCompared: isAccepted, postpone }));
  if (postponed.size === 0) return;

  const comparable = runs.filter((run) => !postponed.has(run));
  const open = new Set<string>();
  for (const run of postponed.keys())
    for await (const { content } of recordsIn(run, "accepted", ledger)) open.add(content);
  for (const run of comparable)
    for await (const { content } of recordsIn(run, "accepted", ledger)) open.delete(content);
  for (const run of comparable) yield* compareSkipped(run, open, { ...context, postpone });
  if (dependencies.drain.aborted) return;
  for (const [run, reason] of postponed) {
    const left = await openRecords(run, "accepted", { open, ledger });
    yield* listed(notCompared(run, reason, { ...context, isCompared: ({ record }) => left.has(record) }));
  }
}

/** Compares the records with `open` contents that this run skipped, and removes their contents from `open`. */
async function* compareSkipped(
  run: Run,
  open: Set<string>,
  context: Omit<CompareContext, "isCompared">,
): AsyncGenerator<readonly Comparison[]> {
  const { skipped = 0 } = (await context.ledger.summary(run.id)).counts;
  if (skipped === 0 || open.size === 0) return;
  const skippedOnes = await openRecords(run, "skipped", { open, ledger: context.ledger });
  const isCompared = ({ record }: Outcome): boolean => skippedOnes.has(record);
  for await (const batch of listed(compareRun(run, { ...context, isCompared }))) {
    for (const { record } of batch) open.delete(skippedOnes.get(record) ?? "");
    yield batch;
  }
}

/** Yields the comparisons without those of replaced content. */
async function* listed(batches: AsyncIterable<readonly Comparison[]>): AsyncGenerator<readonly Comparison[]> {
  for await (const batch of batches) yield batch.filter(({ result }) => result !== "replaced");
}

interface OpenContents {
  readonly open: ReadonlySet<string>;
  readonly ledger: Ledger;
}

/** Returns the `open` contents of the records with this status in the run, by record. */
async function openRecords(
  run: Run,
  status: RecordStatus,
  { open, ledger }: OpenContents,
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for await (const { record, content } of recordsIn(run, status, ledger))
    if (open.has(content)) found.set(record, content);
  return found;
}

type RecordStatus = "accepted" | "skipped";

/**
 * Yields the records with this status in the run whose content is still on the platform. `content` includes the
 * business key, the operation and the supplier, so it identifies the record.
 */
async function* recordsIn(
  run: Run,
  status: RecordStatus,
  ledger: Ledger,
): AsyncGenerator<{ readonly record: number; readonly content: string }> {
  for await (const batch of ledger.outcomes(run.id, { statuses: [status] })) {
    const range = [run.id, batch[0]?.record ?? 0, batch.at(-1)?.record ?? 0] as const;
    const current = await ledger.acceptedLast(...range);
    const contents = await ledger.contents(...range);
    for (const { record } of batch) {
      const content = contents.get(record);
      if (content !== undefined && current.has(record))
        yield { record, content: `${hexOf(content)} ${run.endpoint} ${run.supplier}` };
    }
  }
}
