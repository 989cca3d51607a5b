import { describe, expect, test } from "vitest";
import { accepted, LEASE_MS, LEASE_LOST, PLAN, REPORT, type SharedRunSetup, useSharedRun } from "./shared-run-setup.ts";

/** Tests that neither the workers of an ended shared run nor a replaced planner can change anything. */
export function describeEndOfSharedRun(open: () => Promise<SharedRunSetup>): void {
  describe("a ledger with shared runs", () => {
    const { at, beginSharing, join, intents, counts } = useSharedRun(open);

    test("refuses changes and new workers after a run has ended", async () => {
      const shared = await at().setup.process(at().run);
      await expect(shared.join({ host: "here", pid: 1 })).rejects.toMatchObject({ code: "run_unknown" });
      await beginSharing();
      const worker = await join();
      await worker.claim();
      const sent = await intents(1, 2);
      await worker.saveIntents(at().run, sent);
      await at().planner.end();
      await expect(worker.saveOutcomes(at().run, accepted(sent))).rejects.toMatchObject(LEASE_LOST);
      expect(await worker.claim().catch(() => undefined)).toBeUndefined();
      await expect(shared.join({ host: "here", pid: 1 })).rejects.toMatchObject({ code: "run_unknown" });
      expect(await counts()).toEqual({ ambiguous: 2, pending: 28 });
    });

    test("knows whether all ranges are done, even after the run has ended", async () => {
      const shared = await at().setup.process(at().run);
      for (const done of [0, 1, 3]) {
        await beginSharing();
        const worker = await join();
        for (const first of [1, 11, 21].slice(0, done)) {
          await worker.claim();
          await worker.finish({ first, last: first + 9 });
        }
        expect(await shared.isAllDone()).toBe(done === 3);
        await at().planner.end();
        expect(await shared.isAllDone()).toBe(done === 3);
        expect((await worker.beat(REPORT)).ranges).toEqual({ waiting: 3 - done, taken: 0, done });
      }
    });

    test("refuses, in a later run, a fencing token of an earlier shared run", async () => {
      await beginSharing();
      const old = await join();
      await old.claim();
      const sent = await intents(1, 2);
      await at().planner.end();
      for (let again = 0; again < 4; again += 1) {
        await beginSharing();
        const current = await join();
        await current.claim();
        await expect(old.saveIntents(at().run, sent)).rejects.toMatchObject(LEASE_LOST);
        await expect(old.finish({ first: 1, last: 10 })).rejects.toMatchObject(LEASE_LOST);
        await at().planner.end();
      }
    });

    test("does not let a planner that lost the ledger assign ranges or end the run", async () => {
      const late = at().planner;
      at().ledger = await at().setup.takeOver();
      at().planner = await at().setup.planner(at().run);
      await expect(late.begin(PLAN)).rejects.toMatchObject(LEASE_LOST);
      await beginSharing();
      const worker = await join();
      await worker.claim();
      await expect(late.begin(PLAN)).rejects.toMatchObject(LEASE_LOST);
      await expect(late.evict({ host: "here", pid: worker.pid })).rejects.toMatchObject(LEASE_LOST);
      await expect(late.drain()).rejects.toMatchObject(LEASE_LOST);
      await expect(late.end()).rejects.toMatchObject(LEASE_LOST);
      await expect(late.watch()).rejects.toMatchObject(LEASE_LOST);
      expect(await worker.beat(REPORT)).toMatchObject({ state: "open" });
      await worker.finish({ first: 1, last: 10 });
    });

    test("ends a dead planner's run on takeover, and refuses the writes of its workers", async () => {
      await beginSharing({ resendAmbiguous: true });
      const dead = await join();
      await dead.claim();
      const sent = await intents(1, 2);
      await dead.saveIntents(at().run, sent);
      await at().setup.silence(LEASE_MS + 1);
      at().ledger = await at().setup.takeOver();
      await expect(dead.saveOutcomes(at().run, accepted(sent))).rejects.toMatchObject(LEASE_LOST);
      await expect(dead.beat(REPORT)).rejects.toMatchObject(LEASE_LOST);
      at().planner = await at().setup.planner(at().run);
      expect(await beginSharing()).toBe(3);
    });
  });
}
