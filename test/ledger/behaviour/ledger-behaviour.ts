import { afterEach, beforeEach, describe } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { describeRuns } from "./run-behaviour.ts";
import { describeRecovery } from "./recovery-behaviour.ts";
import { describePlan } from "./plan-behaviour.ts";
import { describeDuplicateKeys } from "./duplicate-key-behaviour.ts";
import { describeSending } from "./sending-behaviour.ts";
import { describeKnownKeys } from "./known-key-behaviour.ts";
import { describeExisting } from "./existing-behaviour.ts";
import { describeExclusions } from "./exclusion-behaviour.ts";
import { describeStale } from "./stale-behaviour.ts";
import { describeLaterRuns } from "./later-run-behaviour.ts";

/**
 * Tests the behaviour of every ledger, in any kind of storage. `comparesJournals` is false for a ledger in a thread,
 * because such a ledger is compared with journals before the thread starts.
 */
export function describeLedger(
  kind: string,
  open: () => Promise<Ledger>,
  { comparesJournals = true }: { readonly comparesJournals?: boolean } = {},
): void {
  describe(`the behaviour of ${kind}`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
    });
    afterEach(() => ledger.close());

    const opened = (): Ledger => ledger;
    describeRuns(opened);
    describePlan(opened);
    describeDuplicateKeys(opened);
    describeSending(opened);
    describeLaterRuns(opened);
    describeExisting(opened);
    describeStale(opened);
    describeExclusions(opened);
    describeKnownKeys(opened);
    if (comparesJournals) describeRecovery(opened);
  });
}
