import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { SetupFile } from "../../../src/ledger/records/run.ts";
import { item, planned, POLICY, PUSH, REFUSED } from "../ledger-input.ts";

function file(text: string): SetupFile {
  return { sha256: createHash("sha256").update(text).digest("hex"), content: Buffer.from(text) };
}

/** Tests how a run starts, continues and ends. */
export function describeRuns(opened: () => Ledger): void {
  let ledger: Ledger;
  beforeEach(() => {
    ledger = opened();
  });

  describe("a ledger of runs", () => {
    test("finds a run by its id, by a prefix of the id, and as the latest run", async () => {
      const first = await ledger.startRun(PUSH);
      const second = await ledger.startRun({ ...PUSH, startedAt: "2026-11-21T01:00:00.000Z" });
      expect(first).toMatchObject({ ...PUSH, state: "planning" });
      expect(first.id).toMatch(/^20261120-2341-[0-9a-f]{4}$/);
      expect(await ledger.findRun(first.id)).toEqual(first);
      expect(await ledger.findRun("20261121")).toEqual(second);
      expect(await ledger.findRun()).toEqual(second);
      expect(await ledger.findRun("1999")).toBeUndefined();
      await expect(ledger.findRun("2026112")).rejects.toMatchObject({ code: "run_unknown" });
      await expect(ledger.summary("nope")).rejects.toMatchObject({ code: "run_unknown" });
    });

    test("stores the files of a run, each distinct content once, and returns files by hash", async () => {
      const [mapping, contract] = [file("key: id\n".repeat(9_000)), file("openapi: 3.0.3\n")];
      await ledger.startRun({ ...PUSH, setup: [mapping, contract] });
      await ledger.startRun({ ...PUSH, setup: [mapping, file("")] });
      for (const { sha256, content } of [mapping, contract, file("")])
        expect(Buffer.from((await ledger.setupFile(sha256)) ?? "absent")).toEqual(content);
      expect(await ledger.setupFile(file("other").sha256)).toBeUndefined();
    });

    test("moves a run from planning to sending to finished, and back to sending on resume", async () => {
      const run = await planned(ledger, [item(1, "A")]);
      expect(await ledger.findRun(run)).toMatchObject({ state: "sending" });
      await ledger.finishRun(run, 3);
      expect(await ledger.findRun(run)).toMatchObject({ state: "finished", exitCode: 3 });
      const resumed = await ledger.resumeRun(run, POLICY);
      expect(resumed).toMatchObject({ id: run, state: "sending" });
      expect(resumed).not.toHaveProperty("exitCode");
    });

    test("keeps a run in planning if the run ends before its input was read completely, and can plan the run again", async () => {
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, packItems([item(1, "A")]));
      await ledger.finishRun(id, 3);
      expect(await ledger.findRun(id)).toMatchObject({ state: "planning", exitCode: 3 });
      await ledger.restartPlan(id);
      await ledger.plan(id, packItems([item(1, "A"), item(2, "B")]));
      await ledger.finishPlan(id, POLICY);
      expect(await ledger.summary(id)).toMatchObject({ records: 2 });
    });

    test("discards an interrupted plan when planning restarts", async () => {
      const { id } = await ledger.startRun(PUSH);
      await ledger.plan(id, packItems([item(1, "A"), item(2, "B", "b", { status: "invalid", problems: [REFUSED] })]));
      await ledger.restartPlan(id);
      await ledger.plan(id, packItems([item(1, "A")]));
      await ledger.finishPlan(id, POLICY);
      const { records, errors } = await ledger.summary(id);
      expect([records, errors]).toEqual([1, {}]);
      await expect(ledger.restartPlan(id)).rejects.toThrow("already finished");
    });
  });
}
