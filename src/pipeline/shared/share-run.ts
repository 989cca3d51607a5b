import { canResolveAmbiguous } from "../../contract/operations/operation.ts";
import type { WorkerSettings } from "../../job/settings/recorded-settings.ts";
import { Failure } from "../../model/failure.ts";
import type { RecordToSend, UploadEnd } from "../../upload/upload-types.ts";
import type { OpenRun } from "../run/with-run.ts";
import { probeFirstUnsent } from "../send/probe-unsent.ts";
import { rereadPayloads } from "../send/reread-payloads.ts";
import { recordsToSend } from "../send/records-to-send.ts";
import type { SendOptions } from "../send/send-records.ts";
import { smallGroups } from "../send/payload-group.ts";
import { unsentRecords } from "../send/unsent-records.ts";
import { coordinate } from "./coordinate.ts";
import { workerWords } from "./worker-processes.ts";

interface Sharing extends Partial<SendOptions> {
  readonly workers: WorkerSettings;
}

/**
 * Allows workers on this machine and on other machines to send the open records of the plan. The workers save the
 * outcomes in the ledger. Returns undefined if there is no connection to send with.
 */
export async function shareRun(open: OpenRun, sharing: Sharing): Promise<UploadEnd | undefined> {
  const { workers, pace, connection, until } = sharing;
  const { ledger, run, job, journal, reporting, dependencies } = open;
  const { store } = reporting;
  if (pace === undefined || connection === undefined) return undefined;
  if (store?.share === undefined) throw new Failure("usage", "workers need a ledger in PostgreSQL");
  // Includes ambiguous records, because some of them may be sent again.
  const { pending = 0, ambiguous = 0 } = (await ledger.summary(run.id)).counts;
  await probeFirstUnsent(dueRecords(open, until), { job, handle: open, connection, drain: dependencies.drain });
  await journal?.begin(run.id);
  const shared = await store.share(run.id);
  try {
    return await coordinate({
      shared,
      run: run.id,
      pending: pending + ambiguous,
      workers,
      pace,
      resendAmbiguous: canResendImmediately(job),
      workerCommand: workerWords(run, store),
      onRequests: (count) => journal?.addCount(count),
      requireNotRestored: journal?.watch?.look,
      dependencies,
    });
  } finally {
    await journal?.end();
    await shared.close();
  }
}

function dueRecords(open: OpenRun, until: string | undefined): AsyncGenerator<readonly RecordToSend[]> {
  const { ledger, run, job, dependencies } = open;
  const readPayloads = rereadPayloads(job);
  const unsent = unsentRecords({ ledger, run, input: job.input, readPayloads, signal: dependencies.drain });
  return recordsToSend(smallGroups(unsent), { job, handle: open, until });
}

/**
 * Whether another worker may immediately resend the requests of a dead worker. If the platform must be queried first,
 * which is possible only after the quiet period, only `migrate resume` resends the requests.
 */
function canResendImmediately({ operation }: OpenRun["job"]): boolean {
  return canResolveAmbiguous(operation) && operation.steps.every(({ poll }) => poll === undefined);
}
