import { describe, expect, test } from "vitest";
import { accepted, LEASE_MS, LEASE_LOST, REPORT, type SharedRunSetup, useSharedRun } from "./shared-run-setup.ts";
import { describeEndOfSharedRun } from "./shared-run-end-behaviour.ts";

/**
 * Tests the rules for every ledger that several processes can share: the PostgreSQL ledger and the simulation's model.
 */
export function describeSharedRun(open: () => Promise<SharedRunSetup>): void {
  describe("a shared run", () => {
    const { at, beginSharing, join, idOf, lose, pollUntilLeased, intents, counts, ranges } = useSharedRun(open);

    test("assigns ranges in order, each to one worker, until all are done", async () => {
      expect(await beginSharing()).toBe(3);
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

    test("tells a joining worker whether all other live workers have counted it", async () => {
      await beginSharing();
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

    test("does not assign a range without pending records", async () => {
      await beginSharing();
      const worker = await join();
      await worker.claim();
      const sent = await intents(1, 10);
      await worker.saveIntents(at().run, sent);
      await worker.saveOutcomes(at().run, accepted(sent));
      await worker.leave();
      await at().planner.end();
      expect(await beginSharing()).toBe(2);
      expect(await (await join()).claim()).toEqual({ first: 11, last: 20 });
    });

    test.each([
      ["ambiguous", false],
      ["to be sent again", true],
    ] as const)("makes the in-flight records of a dead worker %s for the next worker", async (_, resendAmbiguous) => {
      await beginSharing({ resendAmbiguous });
      const dead = await join();
      await dead.claim();
      const [first, second, third, ...rest] = await intents(1, 10);
      if (first === undefined || second === undefined || third === undefined) throw new Error("nothing to send");
      await dead.saveIntents(at().run, [first, second, { ...third, idempotent: true }]);
      await dead.saveOutcomes(at().run, accepted([first]));
      await lose(dead);
      const next = await join();
      expect(await next.claim()).toEqual({ first: 1, last: 10 });
      const left = (await next.shared.ledger.sendable(at().run, 1, 10)).map(({ record, isAmbiguous }) => [
        record,
        isAmbiguous,
      ]);
      const others = [[third.record, false], ...rest.map(({ record }) => [record, false])];
      expect(left).toEqual(resendAmbiguous ? [[second.record, true], ...others] : others);
      expect(await counts()).toMatchObject({ accepted: 1, ...(!resendAmbiguous && { ambiguous: 1 }) });
    });

    test("refuses all changes and heartbeats from a worker that was considered dead", async () => {
      await beginSharing();
      const frozen = await join();
      await frozen.claim();
      await frozen.claim();
      const sent = await intents(1, 3);
      await frozen.saveIntents(at().run, sent);
      await lose(frozen);
      const before = await counts();
      await expect(frozen.saveOutcomes(at().run, accepted(sent))).rejects.toMatchObject(LEASE_LOST);
      await expect(frozen.saveIntents(at().run, await intents(4, 5))).rejects.toMatchObject(LEASE_LOST);
      await expect(frozen.finish({ first: 11, last: 20 })).rejects.toMatchObject(LEASE_LOST);
      await expect(frozen.claim()).rejects.toMatchObject(LEASE_LOST);
      await expect(frozen.stop({ code: "authentication", message: "no" }, "stop")).rejects.toMatchObject(LEASE_LOST);
      await expect(frozen.hold(60_000, "no")).rejects.toMatchObject(LEASE_LOST);
      await expect(frozen.beat(REPORT)).rejects.toMatchObject(LEASE_LOST);
      await frozen.leave();
      expect(await counts()).toEqual(before);
      const status = await at().planner.watch();
      expect(status).toMatchObject({ state: "open", ranges: { waiting: 3, taken: 0, done: 0 } });
      expect([status.failure, status.hold]).toEqual([undefined, undefined]);
    });

    test("lets a worker keep its ranges as long as it sends heartbeats", async () => {
      await beginSharing();
      const worker = await join();
      await worker.claim();
      for (let beats = 0; beats < 8; beats += 1) {
        await at().setup.silence(LEASE_MS / 2);
        at().setup.pass(LEASE_MS / 2);
        await worker.beat(REPORT);
        await at().planner.watch();
      }
      expect(await ranges()).toEqual({ waiting: 2, taken: 1, done: 0 });
      await worker.finish({ first: 1, last: 10 });
    });

    test("lets a worker continue with its ranges if it wakes before they are reassigned", async () => {
      await beginSharing();
      const worker = await join();
      await worker.claim();
      await at().setup.silence(10 * LEASE_MS);
      at().setup.pass(10 * LEASE_MS);
      await worker.beat(REPORT);
      await worker.finish({ first: 1, last: 10 });
      expect(await ranges()).toEqual({ waiting: 2, taken: 0, done: 1 });
    });

    test("does not consider a worker dead because of a period in which the observer itself had no contact with the server", async () => {
      await beginSharing();
      const silent = await join();
      await silent.claim();
      await at().planner.watch();
      await at().setup.silence(10 * LEASE_MS);
      at().setup.pass(10 * LEASE_MS);
      await at().planner.watch();
      at().setup.pass(LEASE_MS / 4);
      await at().planner.watch();
      expect(await ranges()).toEqual({ waiting: 2, taken: 1, done: 0 });
      await pollUntilLeased();
      await at().planner.watch();
      expect(await ranges()).toEqual({ waiting: 3, taken: 0, done: 0 });
    });

    test("lets any worker, not only the planner, detect a dead worker", async () => {
      await beginSharing();
      const [dead, other] = [await join(), await join()];
      await dead.claim();
      const id = await idOf(dead.pid);
      for (let looks = 0; looks < 5; looks += 1) {
        await other.beat(REPORT);
        at().setup.pass(LEASE_MS / 4);
      }
      await at().setup.silence(LEASE_MS + 1, [id]);
      await other.beat(REPORT);
      expect(await other.claim()).toEqual({ first: 1, last: 10 });
    });

    test("writes the outcomes of two ranges either completely or not at all", async () => {
      await beginSharing({ resendAmbiguous: true });
      const worker = await join();
      await worker.claim();
      await worker.claim();
      const sent = await intents(9, 12);
      await worker.saveIntents(at().run, sent);
      await worker.saveOutcomes(at().run, accepted(sent));
      expect(await counts()).toMatchObject({ accepted: 4 });
      const more = [...(await intents(1, 2)), ...(await intents(13, 14))];
      await worker.saveIntents(at().run, more);
      await worker.finish({ first: 11, last: 20 });
      await expect(worker.saveOutcomes(at().run, accepted(more))).rejects.toMatchObject(LEASE_LOST);
      expect(await counts()).toMatchObject({ accepted: 4 });
      await worker.saveOutcomes(at().run, accepted(more.slice(0, 2)));
      expect(await counts()).toMatchObject({ accepted: 6 });
    });

    test("releases the ranges of a worker that leaves, and makes its records in flight ambiguous", async () => {
      await beginSharing();
      const [one, other] = [await join(), await join()];
      await one.claim();
      await one.saveIntents(at().run, await intents(1, 2));
      expect(await other.beat(REPORT)).toMatchObject({ ranges: { waiting: 2 }, released: 0 });
      await one.leave();
      expect(await counts()).toMatchObject({ ambiguous: 2 });
      expect(await other.beat(REPORT)).toMatchObject({ ranges: { waiting: 3 }, released: 1 });
      expect(await other.claim()).toEqual({ first: 1, last: 10 });
      expect((await at().planner.watch()).workers.map(({ state }) => state)).toEqual(["working", "left"]);
    });

    test("shows a worker as joining until it has joined or given up", async () => {
      const states = async (): Promise<readonly string[]> =>
        (await at().planner.watch()).workers.map(({ state }) => state);
      const shared = await at().setup.process(at().run);
      const process = { host: "elsewhere", pid: 7 };
      await expect(shared.announce(process)).rejects.toMatchObject({ code: "run_unknown" });
      await beginSharing();
      await shared.announce(process);
      await shared.announce(process);
      expect(await states()).toEqual(["joining"]);
      await shared.join(process);
      expect(await states()).toEqual(["working"]);
      const another = await at().setup.process(at().run);
      await another.announce({ host: "elsewhere", pid: 8 });
      expect(await states()).toEqual(["working", "joining"]);
      await another.close();
      expect(await states()).toEqual(["working"]);
    });

    test("releases only the ranges of an ended process, and releases them immediately", async () => {
      await beginSharing();
      const [one, other] = [await join(), await join()];
      await one.claim();
      await other.claim();
      await at().planner.evict({ host: "here", pid: one.pid });
      await at().planner.evict({ host: "elsewhere", pid: other.pid });
      expect(await ranges()).toEqual({ waiting: 2, taken: 1, done: 0 });
      await expect(one.beat(REPORT)).rejects.toMatchObject(LEASE_LOST);
      await other.finish({ first: 11, last: 20 });
    });

    test("reports a hold, a drain and a stop to all workers, and keeps the first failure", async () => {
      await beginSharing();
      const [one, other] = [await join(), await join()];
      expect(await one.beat(REPORT)).toMatchObject({ state: "open", workers: 2, position: 0, holdMs: 0 });
      await one.hold(5_000, "told to wait");
      await other.hold(1_000, "told to wait a little");
      const { holdMs } = await other.beat(REPORT);
      expect(holdMs).toBeGreaterThan(2_000);
      await at().planner.drain();
      expect(await one.beat(REPORT)).toMatchObject({ state: "draining" });
      await one.stop({ code: "supplier_closed", message: "closed" }, "continue");
      expect(await one.beat(REPORT)).toMatchObject({ state: "draining" });
      await other.stop({ code: "authentication", message: "no" }, "stop");
      expect(await one.beat(REPORT)).toMatchObject({ state: "stopped" });
      expect((await at().planner.watch()).failure).toMatchObject({ code: "supplier_closed" });
    });
  });
  describeEndOfSharedRun(open);
}
