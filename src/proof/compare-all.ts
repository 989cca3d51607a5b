import { hexOf, identitiesOf } from "../ledger/records/record-hashes.ts";
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
  const postponed = new Map<Run, Failure>();
  const postpone = (run: Run, reason: Failure): void => void postponed.set(run, reason);
  for (const run of runs) yield* listed(compareRun(run, { ...context, isCompared: isAccepted, postpone }));
  if (postponed.size === 0) return;

  const comparable = runs.filter((run) => !postponed.has(run));
  const open = await collectIdentities([...postponed.keys()], context);
  for (const identity of await collectIdentities(comparable, context)) open.delete(identity);
  for (const run of comparable) yield* compareSkipped(run, open, { ...context, postpone });
  if (context.dependencies.drain.aborted) return;
  for (const [run, reason] of postponed) {
    const identityOf = identityOfKey(run);
    for await (const batch of listed(notCompared(run, reason, { ...context, isCompared: isAccepted })))
      yield batch.filter(({ key }) => open.has(identityOf(key)));
  }
}

/** Compares the records with `open` identities that this run skipped, and removes their identities from `open`. */
async function* compareSkipped(
  run: Run,
  open: Set<string>,
  context: Omit<CompareContext, "isCompared">,
): AsyncGenerator<readonly Comparison[]> {
  const { skipped = 0 } = (await context.ledger.summary(run.id)).counts;
  if (skipped === 0 || open.size === 0) return;
  const identityOf = identityOfKey(run);
  const isCompared = ({ status, key }: Outcome): boolean => status === "skipped" && open.has(identityOf(key));
  for await (const batch of listed(compareRun(run, { ...context, isCompared }))) {
    for (const { key } of batch) open.delete(identityOf(key));
    yield batch;
  }
}

/** Yields the comparisons without those of replaced content. */
async function* listed(batches: AsyncIterable<readonly Comparison[]>): AsyncGenerator<readonly Comparison[]> {
  for await (const batch of batches) yield batch.filter(({ result }) => result !== "replaced");
}

/** Returns the identities of the records that are `accepted` in these runs and not replaced since. */
async function collectIdentities(runs: readonly Run[], { ledger }: LedgerContext): Promise<Set<string>> {
  const identities = new Set<string>();
  for (const run of runs) {
    const identityOf = identityOfKey(run);
    for await (const batch of ledger.outcomes(run.id, { statuses: ["accepted"] })) {
      const current = await ledger.acceptedLast(run.id, batch[0]?.record ?? 0, batch.at(-1)?.record ?? 0);
      for (const { record, key } of batch) if (current.has(record)) identities.add(identityOf(key));
    }
  }
  return identities;
}

/** Returns the function from a key to the record's identity. All records without a key have the same identity. */
function identityOfKey(run: Run): (key: string | undefined) => string {
  const identityOf = identitiesOf(run);
  return (key) => (key === undefined ? "" : hexOf(identityOf(key)));
}
