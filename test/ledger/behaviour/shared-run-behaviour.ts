import { beforeEach, describe, expect, test } from "vitest";
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

const LEASE_MS = 10_000;
const PLAN: SharedPlan = { size: 10, leaseMs: LEASE_MS, concurrency: 8, resendAmbiguous: false };
const REPORT: WorkerReport = { counts: {}, inFlight: 0, perSecond: 0, replies: { count: 0, totalMs: 0 } };
const LOST = { code: "ledger_in_use" };

/** What every ledger that several processes share must do: that of PostgreSQL, and the model that the simulation works with. */
export function describeSharedRun(open: () => Promise<SharedBed>): void {
  describe("a shared run keeps its rules:", () => {
    let bed: SharedBed;
    let ledger: Pick<Ledger, "summary">;
    let run: string;
    let planner: SharedRun;
    let pids = 0;

    beforeEach(async () => {
      bed = await open();
      ({ ledger, run } = await bed.plan(30));
      planner = await bed.planner(run);
    });

    const handOut = (plan: Partial<SharedPlan> = {}): Promise<number> => planner.handOut({ ...PLAN, ...plan });
    const join = async (): Promise<SharedWorker & { readonly shared: SharedRun; readonly pid: number }> => {
      const shared = await bed.process(run);
      pids += 1;
      const worker = await shared.join({ host: "here", pid: pids });
      await worker.beat(REPORT);
      return { ...worker, shared, pid: pids };
    };
    const idOf = async (pid: number): Promise<string> => {
      const found = (await planner.watch()).workers.find((one) => one.pid === pid);
      return found?.id ?? "";
    };
    /** Nothing is heard of the worker for longer than its lease, and the planner has looked for as long. */
    const lose = async ({ pid }: { readonly pid: number }): Promise<void> => {
      const id = await idOf(pid);
      await lookForALease();
      await bed.silence(LEASE_MS + 1, [id]);
      await planner.watch();
    };
    const lookForALease = async (): Promise<void> => {
      for (let looks = 0; looks < 5; looks += 1) {
        await planner.watch();
        bed.pass(LEASE_MS / 4);
      }
    };
    const intents = async (first: number, last: number): Promise<readonly Intent[]> =>
      (await (await bed.process(run)).ledger.sendable(run, first, last)).map(intentOf);
    const counts = async (): Promise<unknown> => (await ledger.summary(run)).counts;
    const ranges = async (): Promise<unknown> => (await planner.watch()).ranges;

    test("ranges are given out in order, each to one worker, until all are done", async () => {
      expect(await handOut()).toBe(3);
      const [one, other] = [await join(), await join()];
      expect([await one.claim(), await other.claim()]).toEqual([
        { first: 1, last: 10 },
        { first: 11, last: 20 },
      ]);
      expect(await ranges()).toEqual({ waiting: 1, taken: 2, done: 0 });
      await one.finish({ first: 1, last: 10 });
      expect(await one.claim()).toEqual({ first: 21, last: 30 });
      expect(await other.claim()).toBeUndefined();
      await other.finish({ first: 11, last: 20 });
      await one.finish({ first: 21, last: 30 });
      expect(await ranges()).toEqual({ waiting: 0, taken: 0, done: 3 });
    });

    test("a worker that joins is told when all others that are alive have counted it", async () => {
      await handOut();
      const first = await join();
      expect(await first.beat(REPORT)).toMatchObject({ workers: 1, position: 0, isKnown: true });
      const second = await join();
      expect(await second.beat(REPORT)).toMatchObject({ workers: 2, position: 1, isKnown: false });
      expect(await first.beat(REPORT)).toMatchObject({ workers: 2, position: 0 });
      expect(await second.beat(REPORT)).toMatchObject({ isKnown: true });
      await join();
      await first.leave();
      expect(await second.beat(REPORT)).toMatchObject({ workers: 2, position: 0, isKnown: true });
    });

    test("what is not pending is not given out", async () => {
      await handOut();
      const worker = await join();
      await worker.claim();
      const sent = await intents(1, 10);
      await worker.saveIntents(run, sent);
      await worker.saveOutcomes(run, accepted(sent));
      await worker.leave();
      await planner.end();
      expect(await handOut()).toBe(2);
      expect(await (await join()).claim()).toEqual({ first: 11, last: 20 });
    });

    test.each([
      ["ambiguous", false],
      ["to be sent again", true],
    ] as const)("what a dead worker had in flight is %s to the next one", async (_, resendAmbiguous) => {
      await handOut({ resendAmbiguous });
      const dead = await join();
      await dead.claim();
      const [first, second, third, ...rest] = await intents(1, 10);
      if (first === undefined || second === undefined || third === undefined) throw new Error("nothing to send");
      await dead.saveIntents(run, [first, second, { ...third, idempotent: true }]);
      await dead.saveOutcomes(run, accepted([first]));
      await lose(dead);
      const next = await join();
      expect(await next.claim()).toEqual({ first: 1, last: 10 });
      const left = (await next.shared.ledger.sendable(run, 1, 10)).map(({ record, isAmbiguous }) => [
        record,
        isAmbiguous,
      ]);
      const others = [[third.record, false], ...rest.map(({ record }) => [record, false])];
      expect(left).toEqual(resendAmbiguous ? [[second.record, true], ...others] : others);
      expect(await counts()).toMatchObject({ accepted: 1, ...(!resendAmbiguous && { ambiguous: 1 }) });
    });

    test("a worker that was taken for dead changes nothing any more, and is told", async () => {
      await handOut();
      const frozen = await join();
      await frozen.claim();
      await frozen.claim();
      const sent = await intents(1, 3);
      await frozen.saveIntents(run, sent);
      await lose(frozen);
      const before = await counts();
      await expect(frozen.saveOutcomes(run, accepted(sent))).rejects.toMatchObject(LOST);
      await expect(frozen.saveIntents(run, await intents(4, 5))).rejects.toMatchObject(LOST);
      await expect(frozen.finish({ first: 11, last: 20 })).rejects.toMatchObject(LOST);
      await expect(frozen.claim()).rejects.toMatchObject(LOST);
      await expect(frozen.stop({ code: "authentication", message: "no" }, "stop")).rejects.toMatchObject(LOST);
      await expect(frozen.hold(60_000, "no")).rejects.toMatchObject(LOST);
      await expect(frozen.beat(REPORT)).rejects.toMatchObject(LOST);
      await frozen.leave();
      expect(await counts()).toEqual(before);
      const status = await planner.watch();
      expect(status).toMatchObject({ state: "open", ranges: { waiting: 3, taken: 0, done: 0 } });
      expect([status.failure, status.hold]).toEqual([undefined, undefined]);
    });

    test("a worker that is heard of keeps what it holds, however long it takes", async () => {
      await handOut();
      const worker = await join();
      await worker.claim();
      for (let beats = 0; beats < 8; beats += 1) {
        await bed.silence(LEASE_MS / 2);
        bed.pass(LEASE_MS / 2);
        await worker.beat(REPORT);
        await planner.watch();
      }
      expect(await ranges()).toEqual({ waiting: 2, taken: 1, done: 0 });
      await worker.finish({ first: 1, last: 10 });
    });

    test("one that wakes before anybody has taken what it holds goes on with it", async () => {
      await handOut();
      const worker = await join();
      await worker.claim();
      await bed.silence(10 * LEASE_MS);
      bed.pass(10 * LEASE_MS);
      await worker.beat(REPORT);
      await worker.finish({ first: 1, last: 10 });
      expect(await ranges()).toEqual({ waiting: 2, taken: 0, done: 1 });
    });

    test("nobody is taken for dead by one that has itself not heard of the server for a while", async () => {
      await handOut();
      const silent = await join();
      await silent.claim();
      await planner.watch();
      await bed.silence(10 * LEASE_MS);
      bed.pass(10 * LEASE_MS);
      await planner.watch();
      bed.pass(LEASE_MS / 4);
      await planner.watch();
      expect(await ranges()).toEqual({ waiting: 2, taken: 1, done: 0 });
      await lookForALease();
      await planner.watch();
      expect(await ranges()).toEqual({ waiting: 3, taken: 0, done: 0 });
    });

    test("a worker finds out who is dead, too", async () => {
      await handOut();
      const [dead, other] = [await join(), await join()];
      await dead.claim();
      const id = await idOf(dead.pid);
      for (let looks = 0; looks < 5; looks += 1) {
        await other.beat(REPORT);
        bed.pass(LEASE_MS / 4);
      }
      await bed.silence(LEASE_MS + 1, [id]);
      await other.beat(REPORT);
      expect(await other.claim()).toEqual({ first: 1, last: 10 });
    });

    test("what is written about two ranges is written whole, or not at all", async () => {
      await handOut({ resendAmbiguous: true });
      const worker = await join();
      await worker.claim();
      await worker.claim();
      const sent = await intents(9, 12);
      await worker.saveIntents(run, sent);
      await worker.saveOutcomes(run, accepted(sent));
      expect(await counts()).toMatchObject({ accepted: 4 });
      const more = [...(await intents(1, 2)), ...(await intents(13, 14))];
      await worker.saveIntents(run, more);
      await worker.finish({ first: 11, last: 20 });
      await expect(worker.saveOutcomes(run, accepted(more))).rejects.toMatchObject(LOST);
      expect(await counts()).toMatchObject({ accepted: 4 });
      await worker.saveOutcomes(run, accepted(more.slice(0, 2)));
      expect(await counts()).toMatchObject({ accepted: 6 });
    });

    test("who leaves gives back what it holds, and what it left in flight is closed", async () => {
      await handOut();
      const [one, other] = [await join(), await join()];
      await one.claim();
      await one.saveIntents(run, await intents(1, 2));
      await one.leave();
      expect(await counts()).toMatchObject({ ambiguous: 2 });
      expect(await other.claim()).toEqual({ first: 1, last: 10 });
      expect((await planner.watch()).workers.map(({ state }) => state)).toEqual(["working", "left"]);
    });

    test("a process that has ended loses at once what its worker held, and no other does", async () => {
      await handOut();
      const [one, other] = [await join(), await join()];
      await one.claim();
      await other.claim();
      await planner.expel({ host: "here", pid: one.pid });
      await planner.expel({ host: "elsewhere", pid: other.pid });
      expect(await ranges()).toEqual({ waiting: 2, taken: 1, done: 0 });
      await expect(one.beat(REPORT)).rejects.toMatchObject(LOST);
      await other.finish({ first: 11, last: 20 });
    });

    test("all are told to leave or to stop, and the first failure counts", async () => {
      await handOut();
      const [one, other] = [await join(), await join()];
      expect(await one.beat(REPORT)).toMatchObject({ state: "open", workers: 2, position: 0, holdMs: 0 });
      await one.hold(5_000, "told to wait");
      await other.hold(1_000, "told to wait a little");
      const { holdMs } = await other.beat(REPORT);
      expect(holdMs).toBeGreaterThan(2_000);
      await planner.drain();
      expect(await one.beat(REPORT)).toMatchObject({ state: "draining" });
      await one.stop({ code: "supplier_closed", message: "closed" }, "go on");
      expect(await one.beat(REPORT)).toMatchObject({ state: "draining" });
      await other.stop({ code: "authentication", message: "no" }, "stop");
      expect(await one.beat(REPORT)).toMatchObject({ state: "stopped" });
      expect((await planner.watch()).failure).toMatchObject({ code: "supplier_closed" });
    });

    test("a run that has ended takes nothing, from whoever still held something, and nobody joins it", async () => {
      const shared = await bed.process(run);
      await expect(shared.join({ host: "here", pid: 1 })).rejects.toMatchObject({ code: "run_unknown" });
      await handOut();
      const worker = await join();
      await worker.claim();
      const sent = await intents(1, 2);
      await worker.saveIntents(run, sent);
      await planner.end();
      await expect(worker.saveOutcomes(run, accepted(sent))).rejects.toMatchObject(LOST);
      expect(await worker.claim().catch(() => undefined)).toBeUndefined();
      await expect(shared.join({ host: "here", pid: 1 })).rejects.toMatchObject({ code: "run_unknown" });
      expect(await counts()).toEqual({ ambiguous: 2, pending: 28 });
    });

    test("a fence of an earlier hand-out opens nothing of a later one", async () => {
      await handOut();
      const old = await join();
      await old.claim();
      const sent = await intents(1, 2);
      await planner.end();
      for (let again = 0; again < 4; again += 1) {
        await handOut();
        const current = await join();
        await current.claim();
        await expect(old.saveIntents(run, sent)).rejects.toMatchObject(LOST);
        await expect(old.finish({ first: 1, last: 10 })).rejects.toMatchObject(LOST);
        await planner.end();
      }
    });

    test("a planner that has lost the ledger to another gives nothing out, and ends nothing", async () => {
      const late = planner;
      ledger = await bed.takeOver();
      planner = await bed.planner(run);
      await expect(late.handOut(PLAN)).rejects.toMatchObject(LOST);
      await handOut();
      const worker = await join();
      await worker.claim();
      await expect(late.handOut(PLAN)).rejects.toMatchObject(LOST);
      await expect(late.expel({ host: "here", pid: worker.pid })).rejects.toMatchObject(LOST);
      await expect(late.drain()).rejects.toMatchObject(LOST);
      await expect(late.end()).rejects.toMatchObject(LOST);
      await expect(late.watch()).rejects.toMatchObject(LOST);
      expect(await worker.beat(REPORT)).toMatchObject({ state: "open" });
      await worker.finish({ first: 1, last: 10 });
    });

    test("who takes the ledger over ends what a dead planner has left, and what was in flight is settled", async () => {
      await handOut({ resendAmbiguous: true });
      const dead = await join();
      await dead.claim();
      const sent = await intents(1, 2);
      await dead.saveIntents(run, sent);
      await bed.silence(LEASE_MS + 1);
      ledger = await bed.takeOver();
      await expect(dead.saveOutcomes(run, accepted(sent))).rejects.toMatchObject(LOST);
      await expect(dead.beat(REPORT)).rejects.toMatchObject(LOST);
      planner = await bed.planner(run);
      expect(await handOut()).toBe(3);
    });
  });
}

function accepted(intents: readonly Intent[]): readonly AttemptOutcome[] {
  return intents.map((intent) => attemptOutcomeOf(intent, "accepted", { account: `A-${intent.record}` }));
}
