import { beforeEach } from "vitest";
import type { AttemptOutcome, Intent } from "../../../src/ledger/records/requests.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { SharedPlan, SharedRun, SharedWorker, WorkerReport } from "../../../src/ledger/runs/shared-run.ts";
import { attemptOutcomeOf, intentOf } from "../ledger-input.ts";

/** The part of a shared ledger that the tests of shared runs need. */
export interface SharedRunSetup {
  /** Plans a run with this number of records, all pending. Returns the ledger of the planner's process. */
  readonly plan: (records: number) => Promise<{ readonly ledger: Pick<Ledger, "summary">; readonly run: string }>;
  /** Returns the run as seen by the process that opened the ledger last. */
  readonly planner: (run: string) => Promise<SharedRun>;
  /** Returns the run as seen by a new process. */
  readonly process: (run: string) => Promise<SharedRun>;
  /** Makes another process take over the ledger while its owner is frozen. */
  readonly takeOver: () => Promise<Pick<Ledger, "summary">>;
  /** Makes the last heartbeats and the leases of these workers (default: all) older on the server. */
  readonly silence: (ms: number, workers?: readonly string[]) => Promise<void>;
  /** Advances the clock of the processes. */
  readonly pass: (ms: number) => void;
}

export const LEASE_MS = 10_000;
export const PLAN: SharedPlan = { size: 10, leaseMs: LEASE_MS, concurrency: 8, resendAmbiguous: false };
export const REPORT: WorkerReport = { counts: {}, inFlight: 0, perSecond: 0, replies: { count: 0, totalMs: 0 } };
/** The failure of a process that no longer holds a lease. */
export const LEASE_LOST = { code: "ledger_in_use" };

/** A run of 30 records. A test may replace the ledger and the planner. */
interface SharedScene {
  readonly setup: SharedRunSetup;
  readonly run: string;
  ledger: Pick<Ledger, "summary">;
  planner: SharedRun;
}

type JoinedWorker = SharedWorker & { readonly shared: SharedRun; readonly pid: number };

interface SharedTools {
  readonly at: () => SharedScene;
  readonly beginSharing: (plan?: Partial<SharedPlan>) => Promise<number>;
  readonly join: () => Promise<JoinedWorker>;
  readonly idOf: (pid: number) => Promise<string>;
  readonly lose: (worker: { readonly pid: number }) => Promise<void>;
  readonly pollUntilLeased: () => Promise<void>;
  readonly intents: (first: number, last: number) => Promise<readonly Intent[]>;
  readonly counts: () => Promise<unknown>;
  readonly ranges: () => Promise<unknown>;
}

/** Creates a run for each test. Returns the actions that tests perform on it. */
export function useSharedRun(open: () => Promise<SharedRunSetup>): SharedTools {
  let scene: SharedScene | undefined;
  let pids = 0;
  const at = (): SharedScene => {
    if (scene === undefined) throw new Error("there is no run outside a test");
    return scene;
  };
  beforeEach(async () => {
    const setup = await open();
    const { ledger, run } = await setup.plan(30);
    scene = { setup, run, ledger, planner: await setup.planner(run) };
  });

  const beginSharing = (plan: Partial<SharedPlan> = {}): Promise<number> => at().planner.begin({ ...PLAN, ...plan });
  const join = async (): Promise<JoinedWorker> => {
    const shared = await at().setup.process(at().run);
    pids += 1;
    const worker = await shared.join({ host: "here", pid: pids });
    await worker.beat(REPORT);
    return { ...worker, shared, pid: pids };
  };
  const idOf = async (pid: number): Promise<string> => {
    const found = (await at().planner.watch()).workers.find((one) => one.pid === pid);
    return found?.id ?? "";
  };
  /** Lets a worker's lease expire. The planner observes the worker before and afterwards. */
  const lose = async ({ pid }: { readonly pid: number }): Promise<void> => {
    const id = await idOf(pid);
    await pollUntilLeased();
    await at().setup.silence(LEASE_MS + 1, [id]);
    await at().planner.watch();
  };
  const pollUntilLeased = async (): Promise<void> => {
    for (let looks = 0; looks < 5; looks += 1) {
      await at().planner.watch();
      at().setup.pass(LEASE_MS / 4);
    }
  };
  const intents = async (first: number, last: number): Promise<readonly Intent[]> =>
    (await (await at().setup.process(at().run)).ledger.sendable(at().run, first, last)).map(intentOf);
  const counts = async (): Promise<unknown> => (await at().ledger.summary(at().run)).counts;
  const ranges = async (): Promise<unknown> => (await at().planner.watch()).ranges;
  return { at, beginSharing, join, idOf, lose, pollUntilLeased, intents, counts, ranges };
}

export function accepted(intents: readonly Intent[]): readonly AttemptOutcome[] {
  return intents.map((intent) => attemptOutcomeOf(intent, "accepted", { account: `A-${intent.record}` }));
}
