import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { lateThread } from "../../../src/ledger/thread/late-thread.ts";
import type { LedgerThread } from "../../../src/ledger/thread/ledger-thread.ts";
import { threadLedger } from "../../../src/ledger/thread/thread-ledger.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { intentOf, item, planned } from "../ledger-input.ts";

/** Opens a ledger that moves to a simulated thread, which records its calls. */
async function openLate() {
  const here = await openLedger({ path: join(temporaryFolder(), "ledger.db") });
  const methods = { ...here, close: async () => true };
  const seen = { started: 0, moved: 0, ready: false, ended: 0, asked: [] as string[] };
  const start = (): LedgerThread => {
    seen.started += 1;
    return {
      ask(name, given) {
        seen.asked.push(name);
        return Reflect.apply(methods[name], undefined, given);
      },
      isReady: () => seen.ready,
      end: async () => void (seen.ended += 1),
    };
  };
  const late = lateThread(methods, { start, onMoved: () => (seen.moved += 1) });
  const ledger = threadLedger(late, here, async () => {
    await late.end();
    await here.close();
  });
  const run = await planned(
    ledger,
    Array.from({ length: 14 }, (_, index) => item(index + 1, `K${index}`)),
  );
  return { ledger, run, seen };
}

async function begin(ledger: Ledger, run: string, records: number): Promise<void> {
  for (const due of (await ledger.sendable(run, 1, 14)).slice(0, records)) {
    await ledger.saveIntents(run, [intentOf(due)]);
  }
}

test("a few requests are written without starting a thread", async () => {
  const { ledger, run, seen } = await openLate();
  await begin(ledger, run, 10);
  expect((await ledger.summary(run)).counts).toEqual({ pending: 4, ambiguous: 10 });
  await ledger.close();
  expect(seen).toEqual({ started: 0, moved: 0, ready: false, ended: 0, asked: [] });
});

test("the eleventh group of requests starts a thread, and the thread takes over at the first group after it is ready", async () => {
  const { ledger, run, seen } = await openLate();
  await begin(ledger, run, 12);
  expect(seen).toMatchObject({ started: 1, moved: 0, asked: [] });
  seen.ready = true;
  await ledger.summary(run);
  expect(seen.asked).toEqual([]);
  await begin(ledger, run, 1);
  expect((await ledger.summary(run)).counts).toEqual({ pending: 1, ambiguous: 13 });
  await ledger.close();
  expect(seen).toEqual({ started: 1, moved: 1, ready: true, ended: 1, asked: ["saveIntents", "summary", "close"] });
});
