import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import { Failure } from "../../../src/model/failure.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { item, outcomesOf, planned, PUSH, sendAll } from "../ledger-input.ts";
import { inThread, openInThread } from "./open-in-thread.ts";

describe("a ledger that continues in a thread", () => {
  test("contains earlier writes, and is closed together with the original ledger, which empties the log", async () => {
    const path = join(temporaryFolder(), "ledger.db");
    const alone = await openLedger({ path });
    const { id } = await alone.startRun(PUSH);
    const moved = inThread(alone);
    await moved.plan(id, packItems([item(1, "A"), item(2, "B")]));
    await moved.finishPlan(id, { revise: false, resendAmbiguous: false, keyAttr: "key", fileCells: new Map() });
    await sendAll(moved, id, "accepted");
    expect((await alone.summary(id)).counts).toEqual({ accepted: 2 });
    await alone.close();
    // SQLite removes the log when it closes the file.
    expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);

    const again = await openLedger({ path, create: false });
    expect((await outcomesOf(again, id)).map(({ status }) => status)).toEqual(["accepted", "accepted"]);
    await again.close();
  });

  test("reports the same failures as a ledger in the main thread, with code and hint", async () => {
    const ledger = await openInThread();
    const error: unknown = await ledger.summary("nobody").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({
      code: "run_unknown",
      hint: expect.stringContaining("migrate status"),
    });
    await ledger.close();
  });

  test("stops reading outcomes when the caller stops, and continues with other calls", async () => {
    const ledger = await openInThread();
    const items = Array.from({ length: 1200 }, (_, index) => item(index + 1, `K${index}`));
    const run = await planned(ledger, items);
    let first: number | undefined;
    for await (const batch of ledger.outcomes(run)) {
      first = batch[0]?.record;
      break;
    }
    expect(first).toBe(1);
    expect((await outcomesOf(ledger, run)).length).toBe(1200);
    await ledger.close();
  });

  test("reports a failed write of a plan in the next planning call", async () => {
    const ledger = await openInThread();
    const { id } = await ledger.startRun(PUSH);
    await ledger.plan(id, packItems([item(1, "A")]));
    await ledger.plan(id, packItems([item(1, "A")])).catch(() => undefined);
    await expect(
      ledger.finishPlan(id, { revise: false, resendAmbiguous: false, keyAttr: "key", fileCells: new Map() }),
    ).rejects.toThrow(/UNIQUE/);
    await ledger.close();
  });
});
