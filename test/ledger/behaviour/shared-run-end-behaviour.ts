import { describe, expect, test } from "vitest";
import { accepted, LEASE_MS, LOST, PLAN, REPORT, type SharedBed, useSharedRun } from "./shared-run-bed.ts";

/** What remains of a hand-out that is over, and of a planner that has been replaced, changes nothing. */
export function describeEndOfSharedRun(open: () => Promise<SharedBed>): void {
  describe("the end of a shared run holds:", () => {
    const { at, beginSharing, join, intents, counts } = useSharedRun(open);

    test("a run that has ended takes nothing, from whoever still held something, and nobody joins it", async () => {
      const shared = await at().bed.process(at().run);
      await expect(shared.join({ host: "here", pid: 1 })).rejects.toMatchObject({ code: "run_unknown" });
      await beginSharing();
      const worker = await join();
      await worker.claim();
      const sent = await intents(1, 2);
      await worker.saveIntents(at().run, sent);
      await at().planner.end();
      await expect(worker.saveOutcomes(at().run, accepted(sent))).rejects.toMatchObject(LOST);
      expect(await worker.claim().catch(() => undefined)).toBeUndefined();
      await expect(shared.join({ host: "here", pid: 1 })).rejects.toMatchObject({ code: "run_unknown" });
      expect(await counts()).toEqual({ ambiguous: 2, pending: 28 });
    });

    test("a fence of an earlier hand-out opens nothing of a later one", async () => {
      await beginSharing();
      const old = await join();
      await old.claim();
      const sent = await intents(1, 2);
      await at().planner.end();
      for (let again = 0; again < 4; again += 1) {
        await beginSharing();
        const current = await join();
        await current.claim();
        await expect(old.saveIntents(at().run, sent)).rejects.toMatchObject(LOST);
        await expect(old.finish({ first: 1, last: 10 })).rejects.toMatchObject(LOST);
        await at().planner.end();
      }
    });

    test("a planner that has lost the ledger to another gives nothing out, and ends nothing", async () => {
      const late = at().planner;
      at().ledger = await at().bed.takeOver();
      at().planner = await at().bed.planner(at().run);
      await expect(late.begin(PLAN)).rejects.toMatchObject(LOST);
      await beginSharing();
      const worker = await join();
      await worker.claim();
      await expect(late.begin(PLAN)).rejects.toMatchObject(LOST);
      await expect(late.expel({ host: "here", pid: worker.pid })).rejects.toMatchObject(LOST);
      await expect(late.drain()).rejects.toMatchObject(LOST);
      await expect(late.end()).rejects.toMatchObject(LOST);
      await expect(late.watch()).rejects.toMatchObject(LOST);
      expect(await worker.beat(REPORT)).toMatchObject({ state: "open" });
      await worker.finish({ first: 1, last: 10 });
    });

    test("who takes the ledger over ends what a dead planner has left, and what was in flight is settled", async () => {
      await beginSharing({ resendAmbiguous: true });
      const dead = await join();
      await dead.claim();
      const sent = await intents(1, 2);
      await dead.saveIntents(at().run, sent);
      await at().bed.silence(LEASE_MS + 1);
      at().ledger = await at().bed.takeOver();
      await expect(dead.saveOutcomes(at().run, accepted(sent))).rejects.toMatchObject(LOST);
      await expect(dead.beat(REPORT)).rejects.toMatchObject(LOST);
      at().planner = await at().bed.planner(at().run);
      expect(await beginSharing()).toBe(3);
    });
  });
}
