import { beforeEach } from "vitest";
import type { AttemptOutcome, Intent, Ledger } from "../../../src/ledger/ledger.ts";
import type { SharedPlan, SharedRun, SharedWorker, WorkerReport } from "../../../src/ledger/runs/shared-run.ts";
import { attemptOutcomeOf, intentOf } from "../ledger-input.ts";

/** A shared ledger that several processes reach, as far as the rules need it. */
export interface SharedBed {
  /** The ledger as the process has it that planned the run: so many records, all of them to be sent. */
  readonly plan: (records: number) => Promise<{ readonly ledger: Pick<Ledger, "summary">; readonly run: string }>;
  /** The run as the process has it that opened the ledger last. */
  readonly planner: (run: string) => Promise<SharedRun>;
  /** The run as yet another process has it. */
  readonly process: (run: string) => Promise<SharedRun>;
  /** Another process takes the ledger, whose holder stands still. */
  readonly takeOver: () => Promise<Pick<Ledger, "summary">>;
  /** For the server so much time passes without a word from these workers, or from any; only leases are looked at. */
  readonly silence: (ms: number, workers?: readonly string[]) => Promise<void>;
  /** For the processes so much time passes. */
  readonly pass: (ms: number) => void;
}

export const LEASE_MS = 10_000;
export const PLAN: SharedPlan = { size: 10, leaseMs: LEASE_MS, concurrency: 8, resendAmbiguous: false };
export const REPORT: WorkerReport = { counts: {}, inFlight: 0, perSecond: 0, replies: { count: 0, totalMs: 0 } };
/** What a process is told that holds nothing any more. */
export const LOST = { code: "ledger_in_use" };

/** A run of 30 records, and who sees it: a test may put others in their place. */
interface SharedScene {
  readonly bed: SharedBed;
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
  readonly lookForALease: () => Promise<void>;
  readonly intents: (first: number, last: number) => Promise<readonly Intent[]>;
  readonly counts: () => Promise<unknown>;
  readonly ranges: () => Promise<unknown>;
}

/** A new run for each test, and what tests do with it. */
export function useSharedRun(open: () => Promise<SharedBed>): SharedTools {
  let scene: SharedScene | undefined;
  let pids = 0;
  const at = (): SharedScene => {
    if (scene === undefined) throw new Error("there is a run only while tests run");
    return scene;
  };
  beforeEach(async () => {
    const bed = await open();
    const { ledger, run } = await bed.plan(30);
    scene = { bed, run, ledger, planner: await bed.planner(run) };
  });

  const beginSharing = (plan: Partial<SharedPlan> = {}): Promise<number> => at().planner.begin({ ...PLAN, ...plan });
  const join = async (): Promise<JoinedWorker> => {
    const shared = await at().bed.process(at().run);
    pids += 1;
    const worker = await shared.join({ host: "here", pid: pids });
    await worker.beat(REPORT);
    return { ...worker, shared, pid: pids };
  };
  const idOf = async (pid: number): Promise<string> => {
    const found = (await at().planner.watch()).workers.find((one) => one.pid === pid);
    return found?.id ?? "";
  };
  /** Nothing is heard of the worker for longer than its lease, and the planner has looked for as long. */
  const lose = async ({ pid }: { readonly pid: number }): Promise<void> => {
    const id = await idOf(pid);
    await lookForALease();
    await at().bed.silence(LEASE_MS + 1, [id]);
    await at().planner.watch();
  };
  const lookForALease = async (): Promise<void> => {
    for (let looks = 0; looks < 5; looks += 1) {
      await at().planner.watch();
      at().bed.pass(LEASE_MS / 4);
    }
  };
  const intents = async (first: number, last: number): Promise<readonly Intent[]> =>
    (await (await at().bed.process(at().run)).ledger.sendable(at().run, first, last)).map(intentOf);
  const counts = async (): Promise<unknown> => (await at().ledger.summary(at().run)).counts;
  const ranges = async (): Promise<unknown> => (await at().planner.watch()).ranges;
  return { at, beginSharing, join, idOf, lose, lookForALease, intents, counts, ranges };
}

export function accepted(intents: readonly Intent[]): readonly AttemptOutcome[] {
  return intents.map((intent) => attemptOutcomeOf(intent, "accepted", { account: `A-${intent.record}` }));
}
