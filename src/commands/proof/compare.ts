import { type Dependencies, withoutRepeatedNotices } from "../../job/dependencies.ts";
import { type Ledger, MAX_RECORD } from "../../ledger/ledger.ts";
import { ledgerFlag, openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { hexOf } from "../../ledger/records/record-hashes.ts";
import { ON_PLATFORM, type Outcome } from "../../model/outcome.ts";
import { refuseRunWithAll, requireRun, plannedRuns, type RunSelection } from "../../pipeline/run/run-ledger.ts";
import { compareAll } from "../../proof/compare-all.ts";
import { type Comparison, type ComparisonResult, compareRun, verificationOf } from "../../proof/compare-run.ts";
import { counted } from "../../text/count.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { timestamp } from "../../time/clock.ts";

export type { Comparison } from "../../proof/compare-run.ts";

export interface CompareOptions extends RunSelection {
  /** Whether to compare the records of every run that sent records. */
  readonly all: boolean;
  /** Whether to look up only records that have not been compared since they were accepted. */
  readonly unverified: boolean;
}

export interface CompareSummary {
  readonly counts: Readonly<Record<ComparisonResult, number>>;
  /** False if the user stopped the command. */
  readonly isComplete: boolean;
}

/**
 * Compares accepted records with the platform and passes the results to `add` in batches, latest run first. The
 * records of runs that cannot be compared are last. Stores each batch in the ledger before it passes the batch on.
 */
export async function compare(
  { ledger: locator, run: id, all, unverified }: CompareOptions,
  environment: Dependencies,
  add: (batch: readonly Comparison[]) => Promise<void> | void,
): Promise<CompareSummary> {
  refuseRunWithAll(all, id);
  const dependencies = withoutRepeatedNotices(environment);
  const counts = { same: 0, different: 0, absent: 0, unknown: 0, replaced: 0, verified: 0 };
  const store = await openLedgerStore(locator, dependencies);
  const ledger = await store.write("compare", { create: false });
  try {
    const context = { ledger, dependencies, unverified };
    const batches = all
      ? compareAll((await plannedRuns(ledger)).toReversed(), context)
      : compareRun(await requireRun(ledger, id), { ...context, isCompared: isOnPlatform });
    for await (const batch of batches) {
      const [first] = batch;
      if (first === undefined) continue;
      await ledger.saveVerifications(first.run, batch.flatMap(verificationOf), timestamp(dependencies.clock));
      for (const { result } of batch) counts[result] += 1;
      await add(batch);
    }
    await suggestResend(counts.absent, { ledger, locator, dependencies });
  } finally {
    await ledger.close();
  }
  const isComplete = !dependencies.drain.aborted;
  if (!all && isComplete && Object.values(counts).every((count) => count === 0))
    dependencies.notice("this run has no accepted records; --all compares the accepted records of all runs");
  return { counts, isComplete };
}

/** Includes `skipped` records, because an earlier run sent the same content. */
function isOnPlatform({ status }: Outcome): boolean {
  return ON_PLATFORM.has(status);
}

interface SuggestContext {
  readonly ledger: Ledger;
  readonly locator: string;
  readonly dependencies: Dependencies;
}

/**
 * Shows how to send absent records again, in the latest runs that can send them. A record that several runs contain is
 * counted in the latest of them.
 */
async function suggestResend(absent: number, { ledger, locator, dependencies }: SuggestContext): Promise<void> {
  if (absent === 0) return;
  const seen = new Set<string>();
  for (const { id } of (await plannedRuns(ledger)).toReversed()) {
    if (seen.size >= absent) return;
    const before = seen.size;
    for (const { identity } of await ledger.lost(id, 1, MAX_RECORD)) seen.add(hexOf(identity));
    const found = seen.size - before;
    if (found === 0) continue;
    const command = shellCommand(["migrate", "reconcile", id, "--resend-all", String(found), ...ledgerFlag(locator)]);
    const subject = `${counted(found, "accepted record")} of run ${id} ${found === 1 ? "is" : "are"}`;
    dependencies.notice(`${subject} absent. If the platform has lost them, set them to pending with \`${command}\``);
  }
}
