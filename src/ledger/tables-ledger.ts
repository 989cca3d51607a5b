import { timestamp, type WallClock } from "../time/clock.ts";
import { systemClock } from "../time/system-clock.ts";
import type { AttemptOutcome, Intent } from "./records/requests.ts";
import type { Ledger } from "./ledger.ts";
import type { NewRun, OutcomeFilter, Run } from "./records/run.ts";
import type { OpenFilter, OpenRecord } from "./migration-state.ts";
import type { Exclusion, ExclusionEnd } from "./records/exclusions.ts";
import type { ExcludedRow, PlanPolicy } from "./records/planned-item.ts";
import type { PackedItems } from "./packed/item-columns.ts";
import { markExcluded } from "./plan/excluded-records.ts";
import { excludeRows, finishPlan, restartPlan } from "./plan/finish-plan.ts";
import type { RunRow } from "./runs/recorded-run.ts";
import type { SendingStatus } from "./runs/run-outcome.ts";
import { attemptsOf, msSinceOtherContent, nextSendable, notePosition, sendable } from "./tables/attempts.ts";
import { compareToSend, knownContents } from "./tables/known-contents.ts";
import { coverage } from "./tables/counts.ts";
import { earlierWithoutKey } from "./tables/planned-records.ts";
import { endExclusions, excludeRecords, exclusions } from "./tables/exclusions.ts";
import { acceptedByDay, migration, unplannedRecords, unsettledRuns } from "./tables/migration.ts";
import { batchesOf, openPlaces, openRecords } from "./tables/open-records.ts";
import { contents, nextOutcomes, outcomeQuery, plannedKeys, summary } from "./tables/outcomes.ts";
import { decisionsFor, saveDecisions, undecidedItems, undecidedItemsByKey } from "./tables/reconciliation.ts";
import { identitiesByKey, unseenKeys } from "./tables/seen-keys.ts";
import { setupFile } from "./tables/setup-files.ts";
import { findRun, finishRun, historyOf, listRuns, refresh, requireRun, resumeRun, startRun } from "./tables/runs.ts";
import { answer, type Tables, type Work } from "./tables/tables.ts";
import { timeline } from "./tables/timeline.ts";
import { acceptedLast, saveVerifications } from "./tables/verifications.ts";

/**
 * The part of the ledger that a transaction changes: a few rows, whole tables, or an input position. If an input
 * position is lost, the input is read from an earlier position.
 */
export type Change = "rows" | "tables" | "position";

export interface TableAccess<Own extends Tables> {
  readonly read: <Result>(work: (tables: Tables) => Work<Result>) => Promise<Result>;
  /**
   * Performs a change. The change is atomic, and on disk when the promise resolves. A PostgreSQL server that crashes
   * may still lose a `position`.
   */
  readonly change: <Result>(change: Change, work: (tables: Own) => Work<Result>) => Promise<Result>;
}

/**
 * The frequent writes to a ledger, which each database performs in its own way. Each write is part of a transaction.
 */
export interface FrequentWrites<Own extends Tables> {
  readonly plan: (tables: Own, run: RunRow, items: PackedItems) => Work<void>;
  readonly saveIntents: (
    tables: Own,
    run: RunRow,
    intents: readonly Intent[],
    outcomes: readonly AttemptOutcome[],
  ) => Work<void>;
  readonly saveOutcomes: (tables: Own, run: RunRow, outcomes: readonly AttemptOutcome[]) => Work<void>;
  /** Called before a plan is finished. */
  readonly endPlan?: (tables: Own) => Work<unknown>;
  /** Called when this process starts to work on a run. */
  readonly noteRun?: (tables: Own, id: string) => Work<void>;
}

export interface TablesLedgerOptions {
  readonly clock?: WallClock | undefined;
  /** The status shown for requests in flight. */
  readonly sending: SendingStatus;
  readonly close: () => Promise<void>;
}

export function tablesLedger<Own extends Tables>(
  access: TableAccess<Own>,
  writes: FrequentWrites<Own>,
  options: TablesLedgerOptions,
): Ledger {
  return {
    ...readingMethods(access, options),
    ...writingMethods(access, writes, options),
    close: options.close,
  };
}

function readingMethods<Own extends Tables>(
  { read }: TableAccess<Own>,
  { sending, clock = systemClock }: TablesLedgerOptions,
) {
  /** Returns the method that performs this work. */
  const reading =
    <Given extends readonly unknown[], Result>(work: (tables: Tables, ...given: Given) => Work<Result>) =>
    (...given: Given): Promise<Result> =>
      read((tables) => work(tables, ...given));
  const readingRun = <Given extends readonly unknown[], Result>(
    work: (tables: Tables, run: RunRow, ...given: Given) => Work<Result>,
  ) =>
    reading(function* withRun(tables, id: string, ...given: Given): Work<Result> {
      return yield* work(tables, yield* requireRun(tables, id), ...given);
    });
  return {
    findRun: reading(findRun),
    runs: reading(listRuns),
    setupFile: reading(setupFile),
    nextSendable: readingRun(nextSendable),
    msSinceOtherContent: readingRun(msSinceOtherContent(clock)),
    sendable: readingRun(sendable),
    ambiguous: readingRun(undecidedItems("ambiguous")),
    existing: readingRun(undecidedItems("existing")),
    lost: readingRun(undecidedItems("lost")),
    undecidedByKey: readingRun(undecidedItemsByKey),
    decisions: reading(decisionsFor),
    history: reading((tables) => historyOf(tables, clock)),
    summary: readingRun((tables, run) => summary(tables, run, sending)),
    coverage: reading(coverage),
    migration: reading((tables) => migration(tables, sending)),
    acceptedByDay: reading(acceptedByDay),
    unsettledRuns: reading(unsettledRuns),
    unplannedRecords: reading(unplannedRecords),
    unseenKeys: reading(unseenKeys),
    identitiesByKey: reading(identitiesByKey),
    knownContents: reading(knownContents),
    compareToSend: readingRun(compareToSend),
    openRecords: (filter: OpenFilter = {}) => readOpenRecords(read, sending, filter),
    async *outcomes(id: string, filter?: OutcomeFilter) {
      const run = await read((tables) => requireRun(tables, id));
      const query = await read((tables) => answer(outcomeQuery(tables, sending, filter)));
      for (let last = 0; ;) {
        const { outcomes, isLast } = await read((tables) => nextOutcomes(tables, run, query, last));
        if (outcomes.length > 0) yield outcomes;
        if (isLast) return;
        last = outcomes.at(-1)?.record ?? last;
      }
    },
    contents: readingRun(contents),
    plannedKeys: readingRun(plannedKeys),
    exclusions: reading(exclusions),
    earlierWithoutKey: readingRun(earlierWithoutKey),
    acceptedLast: readingRun(acceptedLast),
    timeline: readingRun(timeline),
    attempts: reading(attemptsOf),
  };
}

async function* readOpenRecords(
  read: TableAccess<Tables>["read"],
  sending: TablesLedgerOptions["sending"],
  filter: OpenFilter,
): AsyncGenerator<readonly OpenRecord[]> {
  for (const places of batchesOf(await read((tables) => openPlaces(tables, sending)))) {
    const records = await read((tables) => openRecords(tables, sending, filter, places));
    if (records.length > 0) yield records;
  }
}

function writingMethods<Own extends Tables>(
  { change }: TableAccess<Own>,
  writes: FrequentWrites<Own>,
  { clock = systemClock }: TablesLedgerOptions,
) {
  const now = (): string => timestamp(clock);
  /** Returns the method that performs this work on a run. */
  const changing =
    <Given extends readonly unknown[], Result>(
      kind: Change,
      work: (tables: Own, run: RunRow, ...given: Given) => Work<Result>,
    ) =>
    (id: string, ...given: Given): Promise<Result> =>
      change(kind, function* withRun(tables) {
        return yield* work(tables, yield* requireRun(tables, id), ...given);
      });

  function* noted(tables: Own, working: Work<Run>): Work<Run> {
    const run = yield* working;
    if (writes.noteRun !== undefined) yield* writes.noteRun(tables, run.id);
    return run;
  }

  return {
    startRun: (run: NewRun) => change("tables", (tables) => noted(tables, startRun(tables, run))),
    restartPlan: changing("tables", restartPlan),
    plan: changing("tables", writes.plan),
    exclude: changing("tables", function* exclude(tables, run, excluded: readonly ExcludedRow[]) {
      yield* excludeRows(tables, run, excluded);
      yield* markExcluded(tables, run);
    }),
    finishPlan: changing("tables", function* end(tables, run, policy: PlanPolicy) {
      if (writes.endPlan !== undefined) yield* writes.endPlan(tables);
      yield* finishPlan(tables, run, policy);
    }),
    notePosition: changing("position", notePosition),
    saveIntents: changing("rows", (tables, run, intents: readonly Intent[], outcomes: readonly AttemptOutcome[] = []) =>
      writes.saveIntents(tables, run, intents, outcomes),
    ),
    saveOutcomes: changing("rows", writes.saveOutcomes),
    resumeRun: changing("tables", (tables, run, policy: PlanPolicy) =>
      noted(tables, resumeRun(tables, run, policy, now())),
    ),
    refresh: changing("tables", (tables, run, policy: PlanPolicy) => refresh(tables, run, policy, clock)),
    saveDecisions: changing("tables", saveDecisions),
    saveVerifications: changing("tables", saveVerifications),
    excludeRecords: (found: readonly Exclusion[]) => change("tables", (tables) => excludeRecords(tables, found)),
    endExclusions: (identities: readonly Uint8Array[], end: ExclusionEnd) =>
      change("tables", (tables) => endExclusions(tables, identities, end)),
    finishRun: changing("rows", (tables, run, exitCode: number) => finishRun(tables, run, exitCode, now())),
  };
}
