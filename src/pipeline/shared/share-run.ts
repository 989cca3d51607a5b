import { canResolveAmbiguous } from "../../contract/operations/operation.ts";
import type { WorkerSettings } from "../../job/settings/recorded-settings.ts";
import type { RateLimitSettings } from "../../job/settings/platform-settings.ts";
import { Failure } from "../../model/failure.ts";
import type { UploadEnd } from "../../upload/upload-types.ts";
import type { OpenRun } from "../run/with-run.ts";
import { coordinate } from "./coordinate.ts";

interface Sharing {
  readonly workers: WorkerSettings;
  readonly pace?: RateLimitSettings | undefined;
}

/** What the plan holds as `pending` -> workers, here and on other machines -> outcomes in the ledger. */
export async function shareRun(open: OpenRun, { workers, pace }: Sharing): Promise<UploadEnd | undefined> {
  const { ledger, run, job, journal, reporting, dependencies } = open;
  const { store } = reporting;
  if (pace === undefined) return undefined;
  if (store?.share === undefined) throw new Failure("usage", "workers need a ledger on PostgreSQL");
  const { pending = 0 } = (await ledger.summary(run.id)).counts;
  await journal?.begin(run.id);
  const shared = await store.share(run.id);
  try {
    return await coordinate({
      shared,
      run: run.id,
      pending,
      workers,
      pace,
      resendAmbiguous: canResendAtOnce(job),
      workerCommand: ["worker", "--run", run.id, "--ledger", store.name, "--quiet"],
      onRequests: (count) => journal?.add(count),
      dependencies,
    });
  } finally {
    journal?.end();
    await shared.close();
  }
}

/**
 * Whether what a dead worker had in flight may be sent again by the next. Where the platform has to be asked first, and is to be
 * asked when the request can no longer be processed, that is left to `migrate resume`.
 */
function canResendAtOnce({ operation }: OpenRun["job"]): boolean {
  return canResolveAmbiguous(operation) && operation.steps.every(({ poll }) => poll === undefined);
}
