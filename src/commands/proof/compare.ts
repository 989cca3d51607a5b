import type { Dependencies } from "../../job/dependencies.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import { readRunLedger, requireRun, sendingRuns } from "../../pipeline/run/run-ledger.ts";
import {
  compareAccepted,
  type Comparison,
  type ComparisonResult,
  STATUSES_OF_ALL,
  STATUSES_OF_ONE,
} from "../../proof/compare-accepted.ts";

export type { Comparison };

export interface CompareOptions {
  readonly ledger: string;
  /** Id of the run, or a prefix of it; absent: the latest run. */
  readonly run?: string | undefined;
  /** Compare the records of every run that sent records. */
  readonly all: boolean;
}

export interface CompareSummary {
  readonly counts: Readonly<Record<ComparisonResult, number>>;
  /** False if the user stopped the command. */
  readonly isComplete: boolean;
}

/** Compares accepted records with the platform, and passes the results to `add` in batches, latest run first. */
export async function compare(
  { ledger: locator, run: id, all }: CompareOptions,
  dependencies: Dependencies,
  add: (batch: readonly Comparison[]) => Promise<void> | void,
): Promise<CompareSummary> {
  if (all && id !== undefined) {
    throw new Failure("usage", "--all cannot be combined with a run", { hint: "use only one of the two" });
  }
  const counts = { same: 0, different: 0, absent: 0, unknown: 0, replaced: 0 };
  await readRunLedger(await openLedgerStore(locator, dependencies), async (ledger) => {
    const runs = all ? (await sendingRuns(ledger)).toReversed() : [await requireRun(ledger, id)];
    const statuses = all ? STATUSES_OF_ALL : STATUSES_OF_ONE;
    for (const run of runs) {
      for await (const batch of compareAccepted(run, { ledger, dependencies, statuses })) {
        // `--all` lists a record in the run whose content the platform has.
        const listed = all ? batch.filter(({ result }) => result !== "replaced") : batch;
        for (const { result } of listed) counts[result] += 1;
        await add(listed);
      }
    }
  });
  return { counts, isComplete: !dependencies.drain.aborted };
}
