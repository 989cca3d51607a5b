import type { Dependencies } from "../../job/dependencies.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { OwnerRule } from "../../model/owner.ts";
import { reportByOwner, type ReportByOwner } from "../../pipeline/owners/report-by-owner.ts";
import { openRecordedJob } from "../../pipeline/run/recorded-job.ts";
import { readRunLedger, requireRun } from "../../pipeline/run/run-ledger.ts";

export interface OwnerReportOptions {
  readonly ledger: string;
  /** Id of the run, or a prefix of it; absent: the latest run. */
  readonly run?: string | undefined;
  /** Folder of the packages; default: the folder of the run. */
  readonly out?: string | undefined;
  readonly owners: readonly OwnerRule[];
}

/** Writes one report folder per owner for a run. Rejected rows are read from the sources, which must not have changed. */
export async function reportOwners(options: OwnerReportOptions, dependencies: Dependencies): Promise<ReportByOwner> {
  const { owners } = options;
  const store = await openLedgerStore(options.ledger, dependencies);
  return readRunLedger(store, async (ledger) => {
    const run = await requireRun(ledger, options.run);
    if ((await store.activeRun()) === run.id) {
      throw new Failure("usage", `run ${run.id} is still active, so its records cannot be divided among their owners`, {
        hint: "wait until it has ended: `migrate status --watch`",
      });
    }
    const settings = settingsOf(run);
    const job = await openRecordedJob(settings, { stored: ledger, dependencies });
    try {
      return await reportByOwner({ ledger, store, run, job, owners, out: options.out ?? settings.out }, dependencies);
    } finally {
      await job.input.close();
    }
  });
}
