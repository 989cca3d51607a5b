import type { Connection } from "../job/target-connection.ts";
import { settingsOf } from "../job/settings/recorded-settings.ts";
import { Failure } from "../model/failure.ts";
import { planPolicy } from "../pipeline/plan/plan-records.ts";
import type { OpenRun } from "../pipeline/run/with-run.ts";
import { comparedAttrs } from "../platform/reading/compare-content.ts";
import { counted } from "../text/count.ts";
import { reconcileRun } from "./reconcile-run.ts";

/**
 * Reads back the records of a run that were on the platform before, and decides those whose content can be compared.
 * The other records stay `existing`. If the platform cannot be queried, all of them stay `existing`.
 */
export async function compareExisting(
  { ledger, run, job, dependencies }: OpenRun,
  { readClient, quietMs }: Connection,
): Promise<void> {
  const { operation, mapping } = job;
  const { drain, notice } = dependencies;
  const isComparable = comparedAttrs(operation.readBack, mapping.keyAttr ?? []).length > 0;
  if (!isComparable || drain.aborted) return;
  const { existing = 0 } = (await ledger.summary(run.id)).counts;
  if (existing === 0) return;
  notice(`Reading back ${counted(existing, "record")} that the platform already had`);
  const context = { job, handle: { ledger, run }, client: readClient(drain), who: "migrate", dependencies };
  const policy = planPolicy(job, settingsOf(run));
  try {
    await reconcileRun({ ...context, policy, readBackIntervalMs: quietMs }, ["existing"]);
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === 6) throw error;
    notice(`Not all existing records could be compared: ${error.message}`);
  }
}
