import { hostname } from "node:os";
import type { Dependencies, JournalEnvironment, SendEnvironment } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { PushSettings } from "../../job/settings/recorded-settings.ts";
import { connect } from "../../job/target-connection.ts";
import type { Run } from "../../ledger/ledger.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { SharedRun, WorkerIdentity } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import type { Sleeper } from "../../time/clock.ts";
import { requireJournaledRequests } from "../run/restore-evidence.ts";
import { type JournaledStore, openRunJournal } from "../run/run-journal.ts";
import { reportUnsaved } from "../run/report-unsaved.ts";
import { rereadPayloads } from "../send/reread-payloads.ts";
import type { WorkEnd } from "./work-on-run.ts";
import { type JoiningOptions, workUntilDone } from "./work-until-done.ts";

export interface WorkerResult extends WorkEnd {
  readonly run: string;
}

interface JoinedRun {
  readonly store: LedgerStore;
  /** A run whose ranges are assigned to workers. */
  readonly run: Run;
  readonly openJob: () => Promise<Job>;
  readonly settings: PushSettings;
}

/**
 * Sends the ranges of a run that another process planned, until no range is left.
 * @throws Failure `run_unknown` for a run without ranges; errors from opening the job and from connecting
 */
export async function joinRun(joined: JoinedRun, dependencies: Dependencies): Promise<WorkerResult> {
  const { run, settings } = joined;
  const { target, pace, until } = settings;
  const shared = await openShared(joined);
  try {
    const job = await withAnnouncement(shared, dependencies.clock, joined.openJob);
    const connection = await connect(target, job.operation, { dependencies, pace });
    try {
      const sending = { job, readPayloads: rereadPayloads(job), run, shared, connection, pace, until, dependencies };
      const onUnsaved = (unsaved: WorkEnd["unsaved"]): Promise<void> => reportUnsaved(unsaved, run.id, dependencies);
      const working = { ...sending, worker: thisWorker(), onUnsaved };
      return { run: run.id, ...(await workJournaled(joined.store, working, dependencies)) };
    } finally {
      await connection.close();
      await job.input.close();
    }
  } finally {
    await shared.close();
  }
}

/**
 * Compares the ledger with the journals on this machine, then works on the run and records its requests in a journal.
 * @throws Failure `ledger_outdated` if the ledger lacks requests that the journals contain
 */
export async function workJournaled(
  { name, server = name, folder }: JournaledStore,
  working: JoiningOptions,
  dependencies: SendEnvironment & JournalEnvironment,
): Promise<WorkEnd> {
  const { ledger } = working.shared;
  const requireUpToDate = (): Promise<void> => requireJournaledRequests({ name, server }, ledger, dependencies);
  const journal = await openRunJournal({ name, server, folder }, ledger, dependencies);
  await journal.begin(working.run.id);
  dependencies.onProgress({ kind: "joined" });
  try {
    return await workUntilDone({ ...working, journal, requireUpToDate, watch: journal.watch });
  } finally {
    await journal.end();
  }
}

async function openShared({ store, run }: JoinedRun): Promise<SharedRun> {
  if (store.share === undefined) throw new Failure("usage", "workers need a ledger on PostgreSQL");
  return store.share(run.id);
}

function thisWorker(): WorkerIdentity {
  return { host: hostname(), pid: process.pid };
}

const ANNOUNCE_MS = 1_000;

/** Announces the worker every second while it prepares to join, so that the planner waits for it. */
async function withAnnouncement<Result>(
  shared: SharedRun,
  clock: Sleeper,
  prepare: () => Promise<Result>,
): Promise<Result> {
  const isReady = new AbortController();
  const announcing = (async () => {
    while (!isReady.signal.aborted) {
      await shared.announce(thisWorker());
      await clock.sleep(ANNOUNCE_MS, isReady.signal);
    }
    // Ignores errors. If this fails, joining also fails and reports the error.
  })().catch(() => undefined);
  try {
    return await prepare();
  } finally {
    isReady.abort();
    await announcing;
  }
}

/**
 * Whether the run currently has ranges for workers. Ranges from an earlier planner do not count, because `resume`
 * creates new ranges.
 */
export function isDistributed({ state }: Run, shared: { readonly state: string } | undefined): boolean {
  return state !== "planning" && shared !== undefined && shared.state !== "ended";
}
