import { type Clock, timestamp } from "../../time/clock.ts";
import { systemClock } from "../../time/system-clock.ts";
import type { Ledger } from "../ledger.ts";
import type { HeldLease } from "../runs/held-lease.ts";
import type { SendingStatus } from "../runs/run-outcome.ts";
import { noteRun } from "./lock/writer-lease.ts";
import { excludeRows, finishPlan, planItems, restartPlan } from "./plan/plan-rows.ts";
import type { Fence, PostgresDatabase, TransactionOptions } from "./postgres-database.ts";
import type { RunRow } from "./postgres-schema.ts";
import type { Queries, Transaction } from "./queries.ts";
import { ambiguousItems, ambiguousItemsByKey, decisionsFor, refresh, saveDecisions } from "./tables/ambiguous-rows.ts";
import { attemptsOf, saveIntents, saveOutcomes, sendable } from "./tables/attempt-rows.ts";
import { coverage } from "./tables/coverage-rows.ts";
import { contents, outcomes as selectOutcomes, summary } from "./tables/outcome-rows.ts";
import { isRecoveryKnown, markPossiblySent, noteRecovery, originOf, unknownRequests } from "./tables/recovery-rows.ts";
import { findRun, finishRun, historyOf, listRuns, requireRun, resumeRun, startRun } from "./tables/run-rows.ts";
import { nextSendable, notePosition } from "./tables/position-rows.ts";
import { timeline } from "./tables/timeline-rows.ts";

export interface PostgresLedgerOptions {
  /** Allows writing. Without it, the caller must ensure that there is no other writer. */
  readonly fence?: Fence | undefined;
  /** Stored with each run. */
  readonly toolVersion?: string;
  /** For timestamps. */
  readonly clock?: Pick<Clock, "now">;
  /** The lease of the whole ledger. */
  readonly lease?: HeldLease | undefined;
  readonly close: () => Promise<void>;
}

const LONG: TransactionOptions = { isLong: true };
/** A plan whose end was not saved is written again. */
const PLAN: TransactionOptions = { isLong: true, isDurable: false };

/** If it is lost, the input is read from an earlier position. */
const PLACE: TransactionOptions = { isDurable: false };

/** A ledger in the schema `migrate` of a database. Its tables must exist and have this version. */
export function postgresLedger(database: PostgresDatabase, options: PostgresLedgerOptions): Ledger {
  const { fence, clock = systemClock, lease, close } = options;
  const now = (): string => timestamp(clock);

  /** One transaction for one run, whose row it reads. */
  const change = <Result>(
    id: string,
    work: (transaction: Transaction, run: RunRow) => Promise<Result>,
    how: TransactionOptions = {},
  ): Promise<Result> =>
    database.transaction(async (transaction) => work(transaction, await requireRun(transaction, id)), {
      ...how,
      fence,
    });

  return {
    ...readingLedger(database, "ambiguous", close),
    ...(lease !== undefined && { lease }),
    startRun: (run) =>
      database.transaction(
        async (transaction) => {
          const started = await startRun(transaction, run, options.toolVersion);
          await noteRun(transaction, started.id);
          return started;
        },
        { ...LONG, fence },
      ),
    restartPlan: (id) => change(id, restartPlan, PLAN),
    plan: (id, items) => change(id, (transaction, run) => planItems(transaction, run, items), PLAN),
    exclude: (id, excluded) => change(id, (transaction, run) => excludeRows(transaction, run, excluded), PLAN),
    finishPlan: (id, policy) => change(id, (transaction, run) => finishPlan(transaction, run, policy), LONG),
    notePosition: (id, position) => change(id, (transaction, run) => notePosition(transaction, run, position), PLACE),
    resumeRun: (id, policy) =>
      change(
        id,
        async (transaction, run) => {
          const resumed = await resumeRun(transaction, { run, policy, at: now() });
          await noteRun(transaction, resumed.id);
          return resumed;
        },
        LONG,
      ),
    saveIntents: (id, intents, outcomes = []) =>
      change(id, (transaction, run) => saveIntents(transaction, run, intents, outcomes)),
    saveOutcomes: (id, outcomes) => change(id, (transaction, run) => saveOutcomes(transaction, run, outcomes)),
    refresh: (id, policy) => change(id, (transaction, run) => refresh(transaction, { run, policy, at: now() }), LONG),
    saveDecisions: (id, decisions, policy) =>
      change(id, (transaction, run) => saveDecisions(transaction, { run, policy, decisions }), LONG),
    origin: originOf(database),
    recovery: {
      unknownRequests: (requests) => unknownRequests(database, requests),
      isRecoveryKnown: (id) => isRecoveryKnown(database, id),
      markPossiblySent: (requests, at) =>
        database.transaction((transaction) => markPossiblySent(transaction, requests, at), { ...LONG, fence }),
      noteRecovery: (recovery) =>
        database.transaction((transaction) => noteRecovery(transaction, recovery), { ...LONG, fence }),
    },
    finishRun: (id, exitCode) => change(id, (transaction, run) => finishRun(transaction, run, { exitCode, at: now() })),
  };
}

type WritingMethod =
  | "startRun"
  | "restartPlan"
  | "plan"
  | "exclude"
  | "finishPlan"
  | "notePosition"
  | "resumeRun"
  | "saveIntents"
  | "saveOutcomes"
  | "refresh"
  | "saveDecisions"
  | "finishRun";

/** The operations that only read. */
function readingLedger(
  queries: Queries,
  sending: SendingStatus,
  close: () => Promise<void>,
): Omit<Ledger, WritingMethod> {
  const run = (id: string): Promise<RunRow> => requireRun(queries, id);
  return {
    findRun: (id) => findRun(queries, id),
    runs: () => listRuns(queries),
    nextSendable: async (id, from) => nextSendable(queries, await run(id), from),
    sendable: async (id, from, to) => sendable(queries, await run(id), { from, to }),
    ambiguous: async (id, from, to) => ambiguousItems(queries, await run(id), { from, to }),
    ambiguousByKey: async (id, keys) => ambiguousItemsByKey(queries, await run(id), keys),
    decisions: (key) => decisionsFor(queries, key),
    history: () => historyOf(queries),
    summary: async (id) => summary(queries, await run(id), sending),
    coverage: () => coverage(queries),
    async *outcomes(id, filter) {
      yield* selectOutcomes(queries, { run: await run(id), sending }, filter);
    },
    contents: async (id, from, to) => contents(queries, await run(id), { from, to }),
    timeline: async (id) => timeline(queries, await run(id)),
    attempts: (key) => attemptsOf(queries, key),
    close,
  };
}

/** A ledger that only reads, on a snapshot of a database. */
export function ledgerToRead(queries: Queries, sending: SendingStatus, close: () => Promise<void>): Ledger {
  return {
    ...readingLedger(queries, sending, close),
    startRun: refused,
    restartPlan: refused,
    plan: refused,
    exclude: refused,
    finishPlan: refused,
    notePosition: refused,
    resumeRun: refused,
    saveIntents: refused,
    saveOutcomes: refused,
    refresh: refused,
    saveDecisions: refused,
    finishRun: refused,
  };
}

async function refused(): Promise<never> {
  throw new Error("This ledger was opened to read.");
}
