import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { contentHash } from "../../../src/ledger/records/record-hashes.ts";
import { intendAll, intentOf, item, planned, POLICY, sendAll } from "../ledger-input.ts";
import { POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "./cluster.ts";
import { useReusedDatabase } from "./reused-database.ts";

const HOUR_MS = 3_600_000;
const HOUR_AGO = new Date(Date.now() - HOUR_MS).toISOString();

function setLocalClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + byMs });
}

const isRecent = (ms: number | undefined): boolean => ms !== undefined && ms > -1000 && ms < HOUR_MS / 2;

describe.skipIf(!POSTGRES_IS_HERE)(`the time since an abandoned request ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const open = useReusedDatabase("migrate_test_server_clock");
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(async () => {
    vi.useRealTimers();
    await ledger.close();
  });

  test.each<readonly [string, (run: string) => Promise<unknown>]>([
    ["a request without a reply", (run) => sendAll(ledger, run, "ambiguous", { at: HOUR_AGO })],
    [
      "a request of a killed process",
      async (run) => {
        await intendAll(ledger, run);
        setLocalClock(-HOUR_MS);
        await ledger.resumeRun(run, POLICY);
      },
    ],
    [
      "a request that only a journal contains",
      async () => {
        const content = contentHash({ content: "x" });
        await ledger.recovery?.markPossiblySent([{ identity: content, content, attempt: 1 }], HOUR_AGO);
      },
    ],
  ])("is not measured by the clock of the machine that noted %s", async (_, abandon) => {
    await abandon(await planned(ledger, [item(1, "A")]));
    expect((await ledger.history()).msSinceAbandoned).toSatisfy(isRecent);
  });

  test("is not measured by the clock of the machine that reads it", async () => {
    const run = await planned(ledger, [item(1, "A")]);
    await sendAll(ledger, run, "ambiguous", { at: HOUR_AGO });
    setLocalClock(HOUR_MS);
    expect((await ledger.history()).msSinceAbandoned).toSatisfy(isRecent);
    expect(await ledger.refresh(run, POLICY)).toSatisfy(isRecent);
  });

  test("is measured by the server's clock for a request with other content", async () => {
    const run = await planned(ledger, [item(1, "A", "x")]);
    const intents = (await ledger.sendable(run, 1, 9)).map((each) => ({ ...intentOf(each), idempotent: true }));
    await ledger.saveIntents(run, intents);
    setLocalClock(HOUR_MS);
    expect(await ledger.msSinceOtherContent(await planned(ledger, [item(1, "A", "y")]))).toSatisfy(isRecent);
  });
});
