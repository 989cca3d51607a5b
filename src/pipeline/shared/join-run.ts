import { hostname } from "node:os";
import type { Dependencies, JournalEnvironment, SendEnvironment } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { PushSettings } from "../../job/settings/recorded-settings.ts";
import { connect } from "../../job/target-connection.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { SharedRun, SharedWorker, WorkerIdentity } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import type { Sleeper } from "../../time/clock.ts";
import { requireJournaledRequests } from "../run/restore-evidence.ts";
import { type JournaledStore, openRunJournal } from "../run/run-journal.ts";
import { reportUnsaved } from "../run/report-unsaved.ts";
import { rereadPayloads } from "../send/reread-payloads.ts";
import { type RunWork, type WorkEnd, workOnRun } from "./work-on-run.ts";

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

export interface JoiningOptions extends RunWork {
  readonly worker: WorkerIdentity;
  /**
   * Called before joining again, because an older copy may have replaced the ledger.
   * @throws Failure `ledger_outdated`
   */
  readonly requireUpToDate?: () => Promise<void>;
  /** Called with outcomes that could not be saved in the ledger. */
  readonly onUnsaved: (unsaved: WorkEnd["unsaved"]) => Promise<void>;
}

/** Maximum number of times in a row that a worker joins again without having sent a record. */
const MAX_REJOINS = 5;

/**
 * Works on a run. A worker that was considered dead because it was suspended for too long joins again with a new
 * identity.
 */
export async function workUntilDone(options: JoiningOptions): Promise<WorkEnd> {
  const { onUnsaved, dependencies } = options;
  let last: WorkEnd | undefined;
  for (let idleRounds = 0; ;) {
    const joined = await joinAgain(options, last);
    if ("end" in joined) return joined.end;
    const end = await workOnRun({ ...options, worker: joined });
    if (end.unsaved.length > 0) await onUnsaved(end.unsaved);
    idleRounds = Object.keys(end.counts).length === 0 ? idleRounds + 1 : 0;
    const isLost = end.failure?.code === "ledger_in_use";
    if (!isLost || dependencies.drain.aborted || idleRounds > MAX_REJOINS) return end;
    await options.requireUpToDate?.();
    dependencies.notice(`${end.failure.message}. Joining again`);
    last = end;
  }
}

/** Joins the run. If the run ended while the worker was suspended, returns the end of the work instead. */
async function joinAgain(
  { shared, worker }: JoiningOptions,
  last: WorkEnd | undefined,
): Promise<SharedWorker | { readonly end: WorkEnd }> {
  try {
    return await shared.join(worker);
  } catch (error) {
    const isOver = error instanceof Failure && error.code === "run_unknown";
    if (last === undefined || !isOver) throw error;
    const { failure: _lostLease, ...end } = last;
    if (await shared.isAllDone()) return { end: { ...end, reason: "done" } };
    const failure = new Failure("incomplete", error.message, { hint: error.hint, cause: error });
    return { end: { ...end, reason: "stopped", failure } };
  }
}

async function openShared({ store, run }: JoinedRun): Promise<SharedRun> {
  if (store.share === undefined) throw new Failure("usage", "workers need a ledger in PostgreSQL");
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
  // Ignores errors. If an announcement fails, joining also fails and reports the error.
  const announcing = (async () => {
    while (!isReady.signal.aborted) {
      await shared.announce(thisWorker());
      await clock.sleep(ANNOUNCE_MS, isReady.signal);
    }
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
