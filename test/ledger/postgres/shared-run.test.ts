import { systemClock } from "../../../src/time/system-clock.ts";
import { describe, expect, test } from "vitest";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { acquireWriterLease } from "../../../src/ledger/postgres/lock/writer-lease.ts";
import { postgresLedger } from "../../../src/ledger/postgres/postgres-ledger.ts";
import { postgresSharedRun } from "../../../src/ledger/postgres/shared/postgres-shared-run.ts";
import { tryRangeQueue } from "../../../src/ledger/postgres/shared/range-queue.ts";
import type { SharedPlan, SharedRun, WorkerReport } from "../../../src/ledger/runs/shared-run.ts";
import type { SharedRunSetup } from "../behaviour/shared-run-setup.ts";
import { describeSharedRun } from "../behaviour/shared-run-behaviour.ts";
import { attemptOutcomeOf, intentOf, planned } from "../ledger-input.ts";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "./cluster.ts";
import { close, items, useSharedRuns } from "./shared-run-scene.ts";

const NAME = "migrate_test_shared";
const PLAN: SharedPlan = { size: 10, leaseMs: 20_000, concurrency: 8, resendAmbiguous: false };
const REPORT: WorkerReport = { counts: {}, inFlight: 0, perSecond: 0, replies: { count: 0, totalMs: 0 } };

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`a run shared over PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { connect, giveUpWriter, opened, plan, processOf, proxy, query, throughProxy, url } = useSharedRuns(NAME);

  describeSharedRun(async (): Promise<SharedRunSetup> => {
    let now = 0;
    const clock = { now: () => Date.now(), monotonic: () => now, sleep: systemClock.sleep };
    let current: (run: string) => Promise<SharedRun>;
    return {
      async plan(records) {
        const database = await connect();
        const lease = await acquireWriterLease(database, "push");
        opened.push({ close: lease.release });
        const ledger = postgresLedger(database, { fence: lease.fence, close });
        current = (run) => postgresSharedRun(database, run, { planner: lease.fence, clock, close });
        return { ledger, run: await planned(ledger, items(records)) };
      },
      planner: (run) => current(run),
      process: async (run) => postgresSharedRun(await connect(), run, { clock, close }),
      async takeOver() {
        await giveUpWriter();
        const store = await openLedgerStore(url());
        const ledger = await store.write("resume", { create: false });
        opened.push(ledger);
        current = async (run) => {
          if (store.share === undefined) throw new Error("not shared");
          return store.share(run);
        };
        return ledger;
      },
      async silence(ms, workers) {
        const of = (column: string): string =>
          workers === undefined ? "true" : `${column} = any ('{${workers.join(",")}}')`;
        const interval = `interval '${ms} milliseconds'`;
        await query(`update migrate.ranges set lease_until = lease_until - ${interval} where ${of("holder")};
          update migrate.workers set seen_at = seen_at - ${interval} where ${of("id")}`);
      },
      pass(ms) {
        now += ms;
      },
    };
  });

  describe("with lost connections and jobs,", () => {
    test("a worker recognises a range that it took in a commit whose reply was lost", async () => {
      const { run, planner } = await plan(30);
      await planner.begin(PLAN);
      const worker = await (await processOf(run, throughProxy())).join({ host: "here", pid: 1 });
      await worker.beat(REPORT);
      const taken = [];
      for (let claims = 0; claims < 3; claims += 1) {
        proxy().cutNext();
        taken.push(await worker.claim());
      }
      expect(taken.map((range) => range?.first)).toEqual([1, 11, 21]);
      for (const range of taken) if (range !== undefined) await worker.finish(range);
      expect((await planner.watch()).ranges).toEqual({ waiting: 0, taken: 0, done: 3 });
    });

    test("a worker joins only once even if the reply to its join was lost", async () => {
      const { run, planner } = await plan(10);
      await planner.begin(PLAN);
      const shared = await processOf(run, throughProxy());
      proxy().cutNext("insert into migrate.workers");
      await shared.join({ host: "here", pid: 1 });
      expect((await planner.watch()).workers).toHaveLength(1);
    });

    test("a worker waits until the planner has used a restarted server, because the server may be a restored copy", async () => {
      const { run, planner } = await plan(10);
      await planner.begin(PLAN);
      await query("update migrate.writer set renewed_at = pg_postmaster_start_time() - interval '1 second'");
      let waits = 0;
      const sleep = async (): Promise<void> => {
        waits += 1;
        await query("update migrate.writer set renewed_at = clock_timestamp()");
      };
      const shared = await postgresSharedRun(await connect(), run, { clock: { ...systemClock, sleep }, close });
      await shared.join({ host: "here", pid: 1 });
      expect(waits).toBe(1);
    });

    test("no worker joins a run in an older copy of the ledger after the planner's lease has expired", async () => {
      const { run, planner } = await plan(10);
      await planner.begin(PLAN);
      await query("update migrate.writer set lease_until = clock_timestamp() - interval '1 second'");
      const failure = await (await processOf(run)).join({ host: "here", pid: 1 }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ code: "run_unknown", message: `the process that planned run ${run} has ended` });
    });

    test("the failure to join an ended run does not say that the run has no records left", async () => {
      const { run, planner } = await plan(10);
      await planner.begin(PLAN);
      await planner.end();
      await expect((await processOf(run)).join({ host: "here", pid: 1 })).rejects.toMatchObject({
        code: "run_unknown",
        message: `run ${run} has ended, so workers cannot join it`,
        hint: expect.stringContaining(`\`migrate resume ${run}\` sends the remaining records`),
      });
    });

    test("ranges are assigned only once even if the reply to the commit was lost", async () => {
      const database = await connect(throughProxy());
      const lease = await acquireWriterLease(database, "push");
      const ledger = postgresLedger(database, { fence: lease.fence, close });
      const run = await planned(ledger, items(30));
      const planner = await postgresSharedRun(database, run, { planner: lease.fence, close });
      proxy().cutNext("insert into migrate_jobs.job");
      await planner.begin(PLAN);
      proxy().cutNext();
      await planner.drain();
      expect((await planner.watch()).ranges).toEqual({ waiting: 3, taken: 0, done: 0 });
      expect(await query(`select id from migrate_jobs.job where name like '%${run}'`)).toHaveLength(3);
      await lease.release();
    });

    test("a queue is deleted only once even if the reply to the commit was lost", async () => {
      const database = await connect(throughProxy());
      await tryRangeQueue(database);
      const cuts = proxy().cuts();
      proxy().cutNext("commit\0", "delete_queue");
      await tryRangeQueue(database);
      expect(proxy().cuts()).toBe(cuts + 1);
      expect(await query("select name from migrate_jobs.queue where name = 'ranges-trial'")).toEqual([]);
    });

    test("a range whose job was lost, completed or delayed is still assigned", async () => {
      const { run, planner } = await plan(30);
      await planner.begin(PLAN);
      await query("delete from migrate_jobs.job where data ->> 'first' = '1'");
      await query("update migrate_jobs.job set state = 'completed' where data ->> 'first' = '11'");
      await query("update migrate_jobs.job set start_after = now() + interval '1 day' where data ->> 'first' = '21'");
      const worker = await (await processOf(run)).join({ host: "here", pid: 1 });
      const taken = new Set<number | undefined>();
      await expect.poll(async () => taken.add((await worker.claim())?.first)).toEqual(new Set([undefined, 1, 11, 21]));
      expect((await planner.watch()).ranges).toEqual({ waiting: 0, taken: 3, done: 0 });
    });

    test("leftover jobs of a dead planner are ignored, and do not prevent a run from ending", async () => {
      const { run, planner } = await plan(20);
      await planner.begin(PLAN);
      const [left] = await query("select name from migrate_jobs.queue order by created_on desc limit 1");
      await planner.begin(PLAN);
      await query(`insert into migrate_jobs.job (name, data) values ('${String(left?.["name"])}', '{"first": 1}')`);
      const first = await (await processOf(run)).join({ host: "here", pid: 1 });
      const second = await (await processOf(run)).join({ host: "here", pid: 2 });
      expect([await first.claim(), await second.claim(), await second.claim()].map((range) => range?.first)).toEqual([
        1,
        11,
        undefined,
      ]);
      await first.leave();
      await expect.poll(async () => (await second.claim())?.first).toBe(1);
      await planner.end();
      expect(await query(`select id from migrate_jobs.job where name like '%${run}'`)).toEqual([]);
    });

    test("an unreadable queue is not considered empty", async () => {
      const { run, planner } = await plan(10);
      await planner.begin(PLAN);
      const worker = await (await processOf(run)).join({ host: "here", pid: 1 });
      await query("alter table migrate_jobs.job rename column priority to other");
      try {
        await expect(worker.claim()).rejects.toThrow(/priority/);
      } finally {
        await query("alter table migrate_jobs.job rename column other to priority");
      }
    });

    test("a worker that freezes during a transaction keeps its range no longer than its lease", async () => {
      const { run, planner } = await plan(10);
      await planner.begin({ ...PLAN, leaseMs: 1_000 });
      const shared = await processOf(run, throughProxy());
      const frozen = await shared.join({ host: "here", pid: 1 });
      await frozen.claim();
      const [first] = (await shared.ledger.sendable(run, 1, 1)).map(intentOf);
      if (first === undefined) throw new Error("nothing to send");
      proxy().stallNext("with intents as");
      const saved = frozen.saveIntents(run, [first]).then(
        () => "written",
        ({ code }) => String(code),
      );
      const stalledAt = performance.now();
      await expect
        .poll(async () => (await planner.watch()).ranges, { interval: 200 })
        .toEqual({ waiting: 1, taken: 0, done: 0 });
      expect(performance.now() - stalledAt).toBeLessThan(20_000);
      // The server aborts the transaction. The worker repeats it before or after the range is released.
      expect(["written", "ledger_in_use"]).toContain(await saved);
      await expect(frozen.saveIntents(run, [first])).rejects.toMatchObject({ code: "ledger_in_use" });
    });
  });

  describe("a planner that has died", () => {
    test("is not replaced while its workers are sending, and keeps the ledger if it was only frozen", async () => {
      const { ledger, run, planner } = await plan(10);
      await planner.begin(PLAN);
      const worker = await (await processOf(run)).join({ host: "here", pid: 1 });
      await worker.claim();
      await giveUpWriter();
      const beating = setInterval(() => void worker.beat(REPORT), 100);
      await expect((await openLedgerStore(url())).write("resume", { create: false })).rejects.toMatchObject({
        code: "ledger_in_use",
        message: expect.stringMatching(/a worker is still sending records of run/),
      });
      clearInterval(beating);
      await worker.finish({ first: 1, last: 10 });
      await planner.end();
      await ledger.finishRun(run, 0);
    });

    test("is replaced after the lease of its last worker has expired, even if its own lease expired earlier", async () => {
      const { run, planner } = await plan(10);
      await planner.begin({ ...PLAN, leaseMs: 2_000 });
      const dead = await (await processOf(run)).join({ host: "here", pid: 1 });
      await dead.claim();
      await giveUpWriter();
      const notices: string[] = [];
      const store = await openLedgerStore(url(), { notice: (text) => notices.push(text) });
      const next = await store.write("resume", { create: false });
      opened.push(next);
      expect(notices).toContainEqual(
        expect.stringMatching(/a heartbeat from 1 worker of a run whose planning process has ended/),
      );
      expect((await store.sharedStatus?.(run))?.state).toBe("ended");
      await expect(dead.beat(REPORT)).rejects.toMatchObject({ code: "ledger_in_use" });
    });
  });

  test("a signal ends the wait for the workers of a dead planner, and the run is unchanged", async () => {
    const { run, planner } = await plan(10);
    await planner.begin(PLAN);
    await (await processOf(run)).join({ host: "here", pid: 1 });
    await giveUpWriter();
    const stop = new AbortController();
    const store = await openLedgerStore(url(), { notice: () => stop.abort(), drain: stop.signal });
    const startedAt = performance.now();
    await expect(store.write("push", { create: true })).rejects.toMatchObject({
      code: "incomplete",
      message: expect.stringMatching(/stopped while waiting for workers of run/),
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect((await store.sharedStatus?.(run))?.state).toBe("open");
  });

  test("the outcomes of a worker are written once, even if many connections are lost", async () => {
    const { ledger, run, planner } = await plan(30);
    await planner.begin(PLAN);
    const shared = await processOf(run, throughProxy());
    const worker = await shared.join({ host: "here", pid: 1 });
    for (let ranges = 0; ranges < 3; ranges += 1) await worker.claim();
    const intents = (await shared.ledger.sendable(run, 1, 30)).map(intentOf);
    for (let at = 0; at < 30; at += 5) {
      const some = intents.slice(at, at + 5);
      proxy().cutNext();
      await worker.saveIntents(run, some);
      proxy().cutNext();
      await worker.saveOutcomes(
        run,
        some.map((intent) => attemptOutcomeOf(intent, "rejected")),
      );
    }
    proxy().cutNext();
    await worker.finish({ first: 1, last: 10 });
    await worker.leave();
    expect((await ledger.summary(run)).counts).toEqual({ rejected: 30 });
  });
});
