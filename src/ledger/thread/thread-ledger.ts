import type { Ledger, MigrationQueries, RunQueries } from "../ledger.ts";
import { isPacked, packItems } from "../packed/packed-items.ts";
import type { LedgerThread } from "./ledger-thread.ts";
import { packIntents, packOutcomes, unpackSendable } from "./packed-attempts.ts";
import { piecesOf } from "./packed-rows.ts";

/** The part of the ledger that stays in the calling thread. */
interface OwnPart extends Pick<Ledger, "outcomes" | "openRecords"> {
  /** Stops the other thread. `isClean`: whether that thread has written the log into the file. */
  readonly close: (isClean: boolean) => Promise<void>;
}

/**
 * Returns a ledger with its own thread. `plan` resolves when there is room for more items, before its own items are
 * written. If writing them fails, the next call to `plan`, `exclude` or `finishPlan` throws the error. All other calls
 * resolve when they are done. The calling thread itself reads outcomes and open records, after the earlier calls have
 * finished. Passing outcomes and records between threads would take longer than reading them.
 */
export function threadLedger(
  { ask }: LedgerThread,
  { outcomes: outcomesHere, openRecords: openHere, close }: OwnPart,
): Ledger {
  const plans = createPlanQueue();
  return {
    startRun: (run) => ask("startRun", [run]),
    findRun: (id) => ask("findRun", [id]),
    runs: () => ask("runs", []),
    restartPlan: (run) => ask("restartPlan", [run]),
    plan(run, items) {
      const packed = isPacked(items) ? items : packItems(items);
      return plans.add(ask("plan", [run, packed], [packed.columns]));
    },
    async exclude(run, excluded) {
      await plans.written();
      await ask("exclude", [run, excluded]);
    },
    earlierWithoutKey: (run) => ask("earlierWithoutKey", [run]),
    async finishPlan(run, policy) {
      await plans.written();
      await ask("finishPlan", [run, policy]);
    },
    notePosition: (run, position) => ask("notePosition", [run, position]),
    otherContentAbandonedAt: (run) => ask("otherContentAbandonedAt", [run]),
    nextSendable: (run, from) => ask("nextSendable", [run, from]),
    async sendable(run, from, to) {
      return unpackSendable(await ask("sendable", [run, from, to]));
    },
    saveIntents(run, intents, outcomes = []) {
      const packed = [packIntents(intents), packOutcomes(outcomes)] as const;
      return ask("saveIntents", [run, ...packed], piecesOf(...packed));
    },
    saveOutcomes(run, outcomes) {
      const packed = packOutcomes(outcomes);
      return ask("saveOutcomes", [run, packed], piecesOf(packed));
    },
    resumeRun: (run, policy) => ask("resumeRun", [run, policy]),
    ...decisionMethods(ask),
    finishRun: (run, exitCode) => ask("finishRun", [run, exitCode]),
    ...queries(ask),
    async *openRecords(filter) {
      await ask("findRun", []);
      yield* openHere(filter);
    },
    async *outcomes(run, filter) {
      await ask("findRun", [run]);
      yield* outcomesHere(run, filter);
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

type DecisionMethod =
  | "refresh"
  | "ambiguous"
  | "existing"
  | "undecidedByKey"
  | "saveDecisions"
  | "saveVerifications"
  | "excludeRecords"
  | "endExclusions";

function decisionMethods(ask: LedgerThread["ask"]): Pick<Ledger, DecisionMethod> {
  return {
    refresh: (run, policy) => ask("refresh", [run, policy]),
    ambiguous: (run, from, to) => ask("ambiguous", [run, from, to]),
    existing: (run, from, to) => ask("existing", [run, from, to]),
    undecidedByKey: (run, status, keys) => ask("undecidedByKey", [run, status, keys]),
    saveDecisions: (run, decisions, policy) => ask("saveDecisions", [run, decisions, policy]),
    saveVerifications: (run, verifications, at) => ask("saveVerifications", [run, verifications, at]),
    excludeRecords: (exclusions) => ask("excludeRecords", [exclusions]),
    endExclusions: (identities, end) => ask("endExclusions", [identities, end]),
  };
}

type Query =
  | Exclude<keyof RunQueries, "findRun" | "runs" | "outcomes">
  | Exclude<keyof MigrationQueries, "openRecords">
  | "acceptedLast"
  | "exclusions"
  | "decisions";

/** Returns the queries that have a single result. */
function queries(ask: LedgerThread["ask"]): Pick<Ledger, Query> {
  return {
    setupFile: (sha256) => ask("setupFile", [sha256]),
    history: () => ask("history", []),
    summary: (run) => ask("summary", [run]),
    coverage: () => ask("coverage", []),
    migration: () => ask("migration", []),
    acceptedByDay: () => ask("acceptedByDay", []),
    unsettledRuns: () => ask("unsettledRuns", []),
    unseenKeys: (destinations, keys) => ask("unseenKeys", [destinations, keys]),
    identitiesByKey: (destination, keys) => ask("identitiesByKey", [destination, keys]),
    knownContents: (identities) => ask("knownContents", [identities]),
    compareToSend: (run) => ask("compareToSend", [run]),
    contents: (run, from, to) => ask("contents", [run, from, to]),
    plannedKeys: (run, from, to) => ask("plannedKeys", [run, from, to]),
    exclusions: (key) => ask("exclusions", [key]),
    acceptedLast: (run, from, to) => ask("acceptedLast", [run, from, to]),
    timeline: (run) => ask("timeline", [run]),
    attempts: (key) => ask("attempts", [key]),
    decisions: (key) => ask("decisions", [key]),
  };
}

/**
 * Maximum number of batches that are not written yet. This is enough to keep the thread busy, and few enough to limit
 * memory use.
 */
const MAX_PENDING_BATCHES = 4;

interface PlanQueue {
  /** @throws the error from any batch so far */
  readonly add: (writing: Promise<void>) => Promise<void>;
  /**
   * Resolves when all batches are written.
   * @throws the same errors as `add`
   */
  readonly written: () => Promise<void>;
}

function createPlanQueue(): PlanQueue {
  const pending: Promise<void>[] = [];
  const state: { wrong?: { readonly error: unknown } } = {};

  async function until(limit: number): Promise<void> {
    while (state.wrong === undefined && pending.length > limit) await pending.shift();
    if (state.wrong !== undefined) throw state.wrong.error;
  }
  return {
    async add(writing) {
      const noted = writing.catch((error: unknown) => {
        state.wrong ??= { error };
      });
      pending.push(noted);
      await until(MAX_PENDING_BATCHES);
    },
    written: () => until(0),
  };
}
