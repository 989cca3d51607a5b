import { afterEach, beforeEach, describe } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { describeAbandonedRequests } from "./abandoned-request-behaviour.ts";
import { describeRuns } from "./run-behaviour.ts";
import { describeRecovery } from "./recovery-behaviour.ts";
import { describeUncertainRecovery } from "./uncertain-recovery-behaviour.ts";
import { describePlan } from "./plan-behaviour.ts";
import { describeDuplicateKeys } from "./duplicate-key-behaviour.ts";
import { describeSending } from "./sending-behaviour.ts";
import { describeKnownKeys } from "./known-key-behaviour.ts";
import { describeExisting } from "./existing-behaviour.ts";
import { describePartial } from "./partial-behaviour.ts";
import { describeExclusions } from "./exclusion-behaviour.ts";
import { describeLost } from "./lost-behaviour.ts";
import { describeStale } from "./stale-behaviour.ts";
import { describeLaterRuns } from "./later-run-behaviour.ts";
import { describePolls } from "./poll-behaviour.ts";

type Subject = (opened: () => Ledger) => void;

/** The behaviour of a ledger in a single run. */
export const ONE_RUN: readonly Subject[] = [describeRuns, describePlan, describeDuplicateKeys, describeSending];
/** The behaviour of a ledger in a run after other runs. */
export const LATER_RUNS: readonly Subject[] = [
  describeLaterRuns,
  describePolls,
  describeAbandonedRequests,
  describeExisting,
  describePartial,
  describeStale,
];
/** The behaviour of a ledger with keys that it has excluded or already knows. */
export const KNOWN_KEYS: readonly Subject[] = [describeExclusions, describeKnownKeys, describeLost];
/** The behaviour of a ledger with journals. A ledger in a thread is compared with journals before the thread starts. */
export const JOURNALS: readonly Subject[] = [describeRecovery, describeUncertainRecovery];

/** Tests the behaviour of a ledger, in any kind of storage. */
export function describeLedger(
  kind: string,
  open: () => Promise<Ledger>,
  subjects: readonly Subject[] = [...ONE_RUN, ...LATER_RUNS, ...KNOWN_KEYS, ...JOURNALS],
): void {
  describe(`the behaviour of ${kind}`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await open();
    });
    afterEach(() => ledger.close());

    for (const describeSubject of subjects) describeSubject(() => ledger);
  });
}
