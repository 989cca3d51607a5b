import type { Ledger } from "../ledger.ts";
import type { CallName, CallsOf } from "./ledger-calls.ts";
import type { LedgerThread } from "./ledger-thread.ts";

/**
 * Returns a ledger with its own thread. `plan` resolves when there is room for more items, before its own items are
 * written. If writing them fails, the next call to `plan`, `exclude` or `finishPlan` throws the error. All other calls
 * resolve when they are done. The calling thread itself reads outcomes and open records, after the earlier calls have
 * finished. Passing outcomes and records between threads would take longer than reading them.
 * @param here the ledger in the calling thread
 * @param close stops the other thread; `isClean`: whether that thread has written the log into the file
 */
export function threadLedger({ ask }: LedgerThread, here: Ledger, close: (isClean: boolean) => Promise<void>): Ledger {
  const plans = createPlanQueue();
  return {
    ...callsTo(ask),
    plan: (run, items) => plans.add(ask("plan", [run, items], [items.columns])),
    async exclude(run, excluded) {
      await plans.written();
      await ask("exclude", [run, excluded]);
    },
    async finishPlan(run, policy) {
      await plans.written();
      await ask("finishPlan", [run, policy]);
    },
    async *openRecords(filter) {
      await ask("findRun", []);
      yield* here.openRecords(filter);
    },
    async *outcomes(run, filter) {
      await ask("findRun", [run]);
      yield* here.outcomes(run, filter);
    },
    async close() {
      const isClean = await ask("close", []).catch(async (error: unknown) => {
        await close(false);
        throw error;
      });
      await close(isClean);
    },
  };
}

/** Returns the methods that the thread performs. */
function callsTo(ask: LedgerThread["ask"]) {
  const call =
    <Name extends CallName>(name: Name) =>
    (...given: CallsOf<Name>["given"]) =>
      ask(name, given);
  return {
    startRun: call("startRun"),
    findRun: call("findRun"),
    runs: call("runs"),
    restartPlan: call("restartPlan"),
    earlierWithoutKey: call("earlierWithoutKey"),
    notePosition: call("notePosition"),
    msSinceOtherContent: call("msSinceOtherContent"),
    nextSendable: call("nextSendable"),
    sendable: call("sendable"),
    saveIntents: call("saveIntents"),
    saveOutcomes: call("saveOutcomes"),
    resumeRun: call("resumeRun"),
    refresh: call("refresh"),
    ambiguous: call("ambiguous"),
    existing: call("existing"),
    lost: call("lost"),
    undecidedByKey: call("undecidedByKey"),
    saveDecisions: call("saveDecisions"),
    saveVerifications: call("saveVerifications"),
    excludeRecords: call("excludeRecords"),
    endExclusions: call("endExclusions"),
    finishRun: call("finishRun"),
    setupFile: call("setupFile"),
    history: call("history"),
    summary: call("summary"),
    coverage: call("coverage"),
    migration: call("migration"),
    acceptedByDay: call("acceptedByDay"),
    unsettledRuns: call("unsettledRuns"),
    unplannedRecords: call("unplannedRecords"),
    unseenKeys: call("unseenKeys"),
    identitiesByKey: call("identitiesByKey"),
    knownContents: call("knownContents"),
    compareToSend: call("compareToSend"),
    contents: call("contents"),
    plannedKeys: call("plannedKeys"),
    exclusions: call("exclusions"),
    acceptedLast: call("acceptedLast"),
    timeline: call("timeline"),
    attempts: call("attempts"),
    decisions: call("decisions"),
  };
}

/**
 * Maximum number of batches that are not written yet. This is enough to keep the thread busy, and few enough to limit
 * memory use.
 */
const MAX_PENDING_BATCHES = 4;

function createPlanQueue() {
  const pending: Promise<void>[] = [];
  const state: { wrong?: { readonly error: unknown } } = {};

  async function until(limit: number): Promise<void> {
    while (state.wrong === undefined && pending.length > limit) await pending.shift();
    if (state.wrong !== undefined) throw state.wrong.error;
  }
  return {
    /** @throws the error from any batch so far */
    async add(writing: Promise<void>): Promise<void> {
      const noted = writing.catch((error: unknown) => {
        state.wrong ??= { error };
      });
      pending.push(noted);
      await until(MAX_PENDING_BATCHES);
    },
    /**
     * Resolves when all batches are written.
     * @throws the same errors as `add`
     */
    written: () => until(0),
  };
}
