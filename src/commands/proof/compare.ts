import type { Dependencies } from "../../job/dependencies.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import type { RecordVerification } from "../../ledger/records/verifications.ts";
import { Failure } from "../../model/failure.ts";
import { requireRun, sendingRuns } from "../../pipeline/run/run-ledger.ts";
import {
  compareAccepted,
  type Comparison,
  type ComparisonResult,
  STATUSES_OF_ALL,
  STATUSES_OF_ONE,
} from "../../proof/compare-accepted.ts";
import { timestamp } from "../../time/clock.ts";

export type { Comparison };

export interface CompareOptions {
  readonly ledger: string;
  /** Id of the run, or a prefix of it; absent: the latest run. */
  readonly run?: string | undefined;
  /** Compare the records of every run that sent records. */
  readonly all: boolean;
  /** Compare only records that have not been compared since they were accepted. */
  readonly unverified: boolean;
}

export interface CompareSummary {
  readonly counts: Readonly<Record<ComparisonResult, number>>;
  /** False if the user stopped the command. */
  readonly isComplete: boolean;
}

/**
 * Compares accepted records with the platform, and passes the results to `add` in batches, latest run first. Stores
 * each batch in the ledger before passing it on.
 */
export async function compare(
  { ledger: locator, run: id, all, unverified }: CompareOptions,
  dependencies: Dependencies,
  add: (batch: readonly Comparison[]) => Promise<void> | void,
): Promise<CompareSummary> {
  if (all && id !== undefined) {
    throw new Failure("usage", "--all cannot be combined with a run", { hint: "use only one of the two" });
  }
  const counts = { same: 0, different: 0, absent: 0, unknown: 0, replaced: 0, verified: 0 };
  const store = await openLedgerStore(locator, dependencies);
  const ledger = await store.write("compare", { create: false });
  try {
    const runs = all ? (await sendingRuns(ledger)).toReversed() : [await requireRun(ledger, id)];
    const statuses = all ? STATUSES_OF_ALL : STATUSES_OF_ONE;
    for (const run of runs) {
      for await (const batch of compareAccepted(run, { ledger, dependencies, statuses, unverified })) {
        await ledger.saveVerifications(run.id, batch.flatMap(verificationOf), timestamp(dependencies.clock));
        // With `--all`, a record is listed only in the run whose content is on the platform.
        const listed = all ? batch.filter(({ result }) => result !== "replaced") : batch;
        for (const { result } of listed) counts[result] += 1;
        await add(listed);
      }
    }
  } finally {
    await ledger.close();
  }
  return { counts, isComplete: !dependencies.drain.aborted };
}

/** A comparison without a result changes nothing in the ledger. */
function verificationOf({ record, result }: Comparison): readonly RecordVerification[] {
  return result === "same" || result === "different" || result === "absent" ? [{ record, verification: result }] : [];
}
