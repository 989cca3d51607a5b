import { isDone, type OpenFilter, type OpenRecord, type RecordState } from "../migration-state.ts";
import type { PlannedPlace } from "../records/planned-item.ts";
import { problemsByRecord, type ProblemColumns, type SendingStatus } from "../runs/run-outcome.ts";
import { migration, stateOf, stateOfUnsent } from "./migration.ts";
import { heldOpen } from "./planned-records.ts";
import { CURRENT_PROBLEM } from "./problems.ts";
import { type Statement, statement, type Tables, type TableValue, type Work } from "./tables.ts";

/** The latest items of records that may be open: for each run (latest first), the record numbers in ascending order. */
export type OpenPlaces = readonly (readonly [run: number, records: Int32Array])[];

/** Finds the latest items of records that may be open. Memory use grows by about 12 bytes for each open record. */
export function* openPlaces(tables: Tables, sending: SendingStatus): Work<OpenPlaces> {
  const places = new Map<number, number[]>();
  const isAnyLeft = (yield* migration(tables, sending)).some(({ counts }) => counts.pending + counts.ambiguous > 0);
  // There is no index of all records that are left to send, so all records are read if any record is left to send.
  const records = tables.dialect === "sqlite" && !isAnyLeft ? SELECT_HELD : SELECT_ANY_OPEN;
  yield* addPlaces(tables, places, records, [0]);
  yield* addPlaces(tables, places, SELECT_UNSENT, [new Uint8Array()]);
  yield* addPlaces(tables, places, SELECT_KEYLESS, [0, 0]);
  const runs = [...places].toSorted(([a], [b]) => b - a);
  return runs.map(([run, numbers]) => [run, Int32Array.from(numbers).toSorted()]);
}

interface PlaceRow {
  readonly run: number;
  readonly record: number;
  readonly after: Uint8Array | number;
}

const PLACES_AT_ONCE = 10_000;

/**
 * Adds the places that a statement selects, in batches.
 * @param first a position before all rows, with one or two values
 */
function* addPlaces(
  tables: Tables,
  places: Map<number, number[]>,
  select: Statement<PlaceRow>,
  first: readonly TableValue[],
): Work<void> {
  for (let from = first; ;) {
    const rows = yield* tables.rows(select, ...from);
    for (const { run, record } of rows) {
      const known = places.get(run);
      if (known === undefined) places.set(run, [record]);
      else known.push(record);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PLACES_AT_ONCE) return;
    from = first.length === 1 ? [last.after] : [last.run, last.record];
  }
}

const selectRecords = (condition: string): Statement<PlaceRow> =>
  statement(`
  select planned_run as run, planned_record as record, id as after
  from migrate.records ${condition} and planned_run is not null and id > $1 order by id limit ${PLACES_AT_ONCE}`);

const SELECT_HELD = selectRecords(`/*+ indexed by records_open */ where (${heldOpen("")})`);

const SELECT_ANY_OPEN = selectRecords(`
  where (${heldOpen("")} or state = 'ambiguous' or state = 'sending' or coalesce(accepted_content, ''::bytea) = ''::bytea)`);

const SELECT_UNSENT = statement<PlaceRow>(`
  select planned_run as run, planned_record as record, identity as after
  from migrate.unsent where identity > $1 order by identity limit ${PLACES_AT_ONCE}`);

const SELECT_KEYLESS = statement<PlaceRow>(`
  select run, record, 0 as after from migrate.keyless where (run, record) > ($1, $2)
  order by run, record limit ${PLACES_AT_ONCE}`);

/** Splits the places into batches. Each batch is read in one query and belongs to one run. */
export function* batchesOf(places: OpenPlaces): Generator<readonly [run: number, records: readonly number[]], void> {
  for (const [run, records] of places) {
    for (let at = 0; at < records.length; at += BATCH) yield [run, [...records.subarray(at, at + BATCH)]];
  }
}

const BATCH = 500;

interface OpenRow extends PlannedPlace {
  readonly key: string | null;
  readonly state: RecordState;
  readonly run: string;
  readonly target: string;
  readonly supplier: string;
  readonly since: string;
}

/** Returns the records among these items that are open and match the filter, in input order. */
export function* openRecords(
  tables: Tables,
  sending: SendingStatus,
  { since: earliest = "" }: OpenFilter,
  [number, records]: readonly [run: number, records: readonly number[]],
): Work<readonly OpenRecord[]> {
  const rows = yield* tables.rows(selectOpen(sending), number, records);
  const found = rows.filter(({ since }) => since >= earliest);
  const numbers = found.map(({ record }) => record);
  const problems = problemsByRecord(yield* tables.rows(SELECT_PROBLEMS, number, numbers));
  return found.flatMap(({ record, key, file, line, state, run, target, supplier, since }) => {
    if (isDone(state)) return [];
    const place = { run, record, source: { file, line } };
    const row = { ...place, state, target, supplier, since, problems: problems.get(record) ?? [] };
    return key === null ? row : { ...row, key: tables.readKey(key) };
  });
}

const selectOpen = (sending: SendingStatus): Statement<OpenRow> =>
  statement(`
  select items.record, items.key, files.name as file, items.line,
    case when records.id is null then ${stateOfUnsent("items.status")} else ${stateOf(sending, "items.status")} end as state,
    runs.name as run, runs.target, runs.supplier, started.started_at as since
  from migrate.items inner join migrate.runs on runs.id = items.run
  inner join migrate.files on files.id = items.file
  left join migrate.records on records.identity = items.identity
  left join migrate.unsent on unsent.identity = items.identity and records.id is null
  left join migrate.keyless on keyless.run = items.run and keyless.record = items.record and items.identity is null
  left join migrate.runs as started
    on started.id = coalesce(records.since_run, unsent.since_run, keyless.since_run, items.run)
  where items.run = $1 and items.record = any($2::int[])
  order by items.record`);

const SELECT_PROBLEMS = statement<ProblemColumns>(`
  select problems.record, problem
  from migrate.problems inner join migrate.items on items.run = problems.run and items.record = problems.record
  where problems.run = $1 and problems.record = any($2::int[])
    and ${CURRENT_PROBLEM}
  order by problems.record, problems.attempt, position`);
