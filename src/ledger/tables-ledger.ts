import { type Clock, timestamp } from "../time/clock.ts";
import { systemClock } from "../time/system-clock.ts";
import type { AttemptOutcome, Intent } from "./records/requests.ts";
import type { Ledger, MigrationQueries, Run, RunQueries } from "./ledger.ts";
import type { PlannedItem } from "./records/planned-item.ts";
import type { PackedItems } from "./packed/item-columns.ts";
import { excludeRows, finishPlan, restartPlan } from "./plan/finish-plan.ts";
import type { RunRow } from "./runs/recorded-run.ts";
import type { SendingStatus } from "./runs/run-outcome.ts";
import { attemptsOf, otherContentAbandonedAt, sendable } from "./tables/attempts.ts";
import { compareToSend, knownContents } from "./tables/known-contents.ts";
import { coverage } from "./tables/counts.ts";
import { earlierWithoutKey } from "./tables/planned-records.ts";
import { endExclusions, excludeRecords, exclusions } from "./tables/exclusions.ts";
import { acceptedByDay, migration, unsettledRuns } from "./tables/migration.ts";
import { batchesOf, openPlaces, openRecords } from "./tables/open-records.ts";
import { contents, nextOutcomes, outcomeQuery, plannedKeys, summary } from "./tables/outcomes.ts";
import { nextSendable, notePosition } from "./tables/positions.ts";
import {
  ambiguousItems,
  undecidedItemsByKey,
  decisionsFor,
  existingItems,
  saveDecisions,
} from "./tables/reconciliation.ts";
import { identitiesByKey, unseenKeys } from "./tables/seen-keys.ts";
import { setupFile } from "./tables/setup-files.ts";
import { findRun, finishRun, historyOf, listRuns, refresh, requireRun, resumeRun, startRun } from "./tables/runs.ts";
import { answer, type Tables, type Work } from "./tables/tables.ts";
import { timeline } from "./tables/timeline.ts";
import { acceptedLast, saveVerifications } from "./tables/verifications.ts";

/**
 * The part of the ledger that a transaction changes: a few rows, whole tables, a plan, or an input position. A plan
 * that is lost in a crash is written again. If an input position is lost, the input is read from an earlier position.
 */
export type Change = "rows" | "tables" | "plan" | "position";

/** A ledger's access to its tables. */
export interface TableAccess<Own extends Tables> {
  readonly read: <Result>(work: (tables: Tables) => Work<Result>) => Promise<Result>;
  /** Performs a change. The change is atomic, and on disk when the promise resolves. */
  readonly change: <Result>(change: Change, work: (tables: Own) => Work<Result>) => Promise<Result>;
}

/**
 * The frequent writes to a ledger, which each database performs in its own way. Each write is part of a transaction.
 */
export interface FrequentWrites<Own extends Tables> {
  readonly plan: (tables: Own, run: RunRow, items: readonly PlannedItem[] | PackedItems) => Work<void>;
  readonly saveIntents: (
    tables: Own,
    run: RunRow,
    intents: readonly Intent[],
    outcomes: readonly AttemptOutcome[],
  ) => Work<void>;
  readonly saveOutcomes: (tables: Own, run: RunRow, outcomes: readonly AttemptOutcome[]) => Work<void>;
  /** Prepares to finish a plan. Returns whether the plan may contain keys that are equal or nearly equal. */
  readonly endPlan: (tables: Own, run: RunRow) => Work<"may repeat" | "differ">;
  /** Called when a plan is discarded. */
  readonly discardPlan?: () => void;
  /** Called when this process starts to work on a run. */
  readonly noteRun?: (tables: Own, id: string) => Work<void>;
}

export interface TablesLedgerOptions {
  /** The version of this program, as stored with each run. */
  readonly toolVersion?: string | undefined;
  /** The clock for timestamps. */
  readonly clock?: Pick<Clock, "now"> | undefined;
  /** The status shown for requests in flight. */
  readonly sending: SendingStatus;
  readonly close: () => Promise<void>;
}

/** Returns a ledger over the tables of a database. */
export function tablesLedger<Own extends Tables>(
  access: TableAccess<Own>,
  writes: FrequentWrites<Own>,
  options: TablesLedgerOptions,
): Ledger {
  return { ...readingMethods(access, options), ...writingMethods(access, writes, options), close: options.close };
}

type ReadingMethod =
  | keyof RunQueries
  | keyof MigrationQueries
  | "nextSendable"
  | "otherContentAbandonedAt"
  | "sendable"
  | "ambiguous"
  | "existing"
  | "undecidedByKey"
  | "decisions"
  | "earlierWithoutKey"
  | "acceptedLast"
  | "exclusions";

function readingMethods(
  { read }: Pick<TableAccess<Tables>, "read">,
  { sending }: Pick<TablesLedgerOptions, "sending">,
): Pick<Ledger, ReadingMethod> {
  const readRun = <Result>(id: string, work: (tables: Tables, run: RunRow) => Work<Result>): Promise<Result> =>
    read(function* withRun(tables) {
      return yield* work(tables, yield* requireRun(tables, id));
    });
  return {
    findRun: (id) => read((tables) => findRun(tables, id)),
    runs: () => read(listRuns),
    setupFile: (sha256) => read((tables) => setupFile(tables, sha256)),
    nextSendable: (id, from) => readRun(id, (tables, run) => nextSendable(tables, run, from)),
    otherContentAbandonedAt: (id) => readRun(id, otherContentAbandonedAt),
    sendable: (id, from, to) => readRun(id, (tables, run) => sendable(tables, run, { from, to })),
    ambiguous: (id, from, to) => readRun(id, (tables, run) => ambiguousItems(tables, run, { from, to })),
    existing: (id, from, to) => readRun(id, (tables, run) => existingItems(tables, run, { from, to })),
    undecidedByKey: (id, status, keys) =>
      readRun(id, (tables, run) => undecidedItemsByKey(tables, run, { status, keys })),
    decisions: (key) => read((tables) => decisionsFor(tables, key)),
    history: () => read(historyOf),
    summary: (id) => readRun(id, (tables, run) => summary(tables, run, sending)),
    coverage: () => read(coverage),
    migration: () => read((tables) => migration(tables, sending)),
    acceptedByDay: () => read(acceptedByDay),
    unsettledRuns: () => read(unsettledRuns),
    unseenKeys: (destinations, keys) => read((tables) => unseenKeys(tables, destinations, keys)),
    identitiesByKey: (destination, keys) => read((tables) => identitiesByKey(tables, destination, keys)),
    knownContents: (identities) => read((tables) => knownContents(tables, identities)),
    compareToSend: (id) => readRun(id, compareToSend),
    async *openRecords(filter = {}) {
      for (const places of batchesOf(await read((tables) => openPlaces(tables, sending)))) {
        const records = await read((tables) => openRecords(tables, sending, filter, places));
        if (records.length > 0) yield records;
      }
    },
    async *outcomes(id, filter) {
      const run = await read((tables) => requireRun(tables, id));
      const query = await read((tables) => answer(outcomeQuery(tables, sending, filter)));
      for (let last = 0; ;) {
        const { outcomes, isLast } = await read((tables) => nextOutcomes(tables, run, query, last));
        if (outcomes.length > 0) yield outcomes;
        if (isLast) return;
        last = outcomes.at(-1)?.record ?? last;
      }
    },
    contents: (id, from, to) => readRun(id, (tables, run) => contents(tables, run, { from, to })),
    plannedKeys: (id, from, to) => readRun(id, (tables, run) => plannedKeys(tables, run, { from, to })),
    exclusions: (key) => read((tables) => exclusions(tables, key)),
    earlierWithoutKey: (id) => readRun(id, earlierWithoutKey),
    acceptedLast: (id, from, to) => readRun(id, (tables, run) => acceptedLast(tables, run, { from, to })),
    timeline: (id) => readRun(id, timeline),
    attempts: (key) => read((tables) => attemptsOf(tables, key)),
  };
}

function writingMethods<Own extends Tables>(
  { change }: TableAccess<Own>,
  writes: FrequentWrites<Own>,
  { toolVersion, clock = systemClock }: TablesLedgerOptions,
): Omit<Ledger, ReadingMethod | "close"> {
  const now = (): string => timestamp(clock);
  const changeRun = <Result>(
    kind: Change,
    id: string,
    work: (tables: Own, run: RunRow) => Work<Result>,
  ): Promise<Result> =>
    change(kind, function* withRun(tables) {
      return yield* work(tables, yield* requireRun(tables, id));
    });

  function* noted(tables: Own, working: Work<Run>): Work<Run> {
    const run = yield* working;
    if (writes.noteRun !== undefined) yield* writes.noteRun(tables, run.id);
    return run;
  }

  return {
    startRun: (run) => change("tables", (tables) => noted(tables, startRun(tables, run, toolVersion))),
    restartPlan: (id) => {
      writes.discardPlan?.();
      return changeRun("plan", id, restartPlan);
    },
    plan: (id, items) => changeRun("plan", id, (tables, run) => writes.plan(tables, run, items)),
    exclude: (id, excluded) => changeRun("plan", id, (tables, run) => excludeRows(tables, run, excluded)),
    finishPlan: (id, policy) =>
      changeRun("tables", id, function* end(tables, run) {
        yield* finishPlan(tables, run, policy, yield* writes.endPlan(tables, run));
      }),
    notePosition: (id, position) => changeRun("position", id, (tables, run) => notePosition(tables, run, position)),
    saveIntents: (id, intents, outcomes = []) =>
      changeRun("rows", id, (tables, run) => writes.saveIntents(tables, run, intents, outcomes)),
    saveOutcomes: (id, outcomes) => changeRun("rows", id, (tables, run) => writes.saveOutcomes(tables, run, outcomes)),
    resumeRun: (id, policy) =>
      changeRun("tables", id, (tables, run) => noted(tables, resumeRun(tables, { run, policy, at: now() }))),
    refresh: (id, policy) => changeRun("tables", id, (tables, run) => refresh(tables, { run, policy, at: now() })),
    saveDecisions: (id, decisions, policy) =>
      changeRun("tables", id, (tables, run) => saveDecisions(tables, run, decisions, policy)),
    saveVerifications: (id, verifications, at) =>
      changeRun("tables", id, (tables, run) => saveVerifications(tables, run, { verifications, at })),
    excludeRecords: (found) => change("tables", (tables) => excludeRecords(tables, found)),
    endExclusions: (identities, end) => change("tables", (tables) => endExclusions(tables, identities, end)),
    finishRun: (id, exitCode) =>
      changeRun("rows", id, (tables, run) => finishRun(tables, run, { exitCode, at: now() })),
  };
}
