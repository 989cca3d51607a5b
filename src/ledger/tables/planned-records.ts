import type { RowName, RowWithoutKey } from "../records/planned-item.ts";
import { NEW_OTHER_CONTENT } from "../records/prior-content.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { type EachStatement, exists, type Selected, type Sql, statement, type Tables, type Work } from "./tables.ts";

/** SQL condition: the run is a push whose input was read completely. Its records count as planned for sending. */
export const PLANNED_PUSHES: string = "runs.command = 'push' and not runs.dry_run and runs.state <> 'planning'";

/**
 * When a plan is finished, notes the latest item of each record in any planned push: `planned_run` and
 * `planned_record`. The record has been open since the planned push `since_run`. Records that no plan could send are in
 * `unsent`, with the same columns. The following exceptions save time in a daily push whose records are mostly
 * unchanged:
 *
 * - A skipped item is noted only if an earlier item has different content, because the platform already has the
 *   skipped content.
 * - A stale item is not noted, because a newer item was sent.
 * - A re-imported item is not noted if its content differs in an extract that was pushed after the export
 *   (`later-plans.ts`).
 * - `planned_content` is null until a second push plans the record, because until then, the item itself has the latest
 *   content. It is empty if the latest content is unknown, because the item has no content or because several items
 *   have different content.
 */
export function* notePlanned(
  tables: Tables,
  run: number,
  counts: Readonly<Record<string, number>>,
  superseded: readonly RowName[],
): Work<void> {
  if (NOT_SENT.some((status) => (counts[status] ?? 0) > 0)) {
    yield* tables.run(NOTE_RECORDS, run);
    yield* tables.run(NOTE_UNSENT, run);
  }
  if ((counts["invalid"] ?? 0) > 0) yield* tables.run(INSERT_KEYLESS, run);
  if (!(yield* exists(tables, ANY_OLDER_KEYLESS, run))) return;
  yield* tables.run(DELETE_REPEATED_KEYLESS, run);
  yield* deleteKeyless(tables, superseded);
}

/**
 * Forgets invalid records that no plan could send, and that this run contains with corrected keys. Their earlier items
 * remain, without an identity. Returns the number of forgotten records.
 */
export function* forgetCorrected(tables: Tables, run: number, superseded: readonly RowName[]): Work<number> {
  if (superseded.length === 0) return 0;
  yield* tables.run(CLEAR_IDENTITIES, superseded.map(nameOfRow), run);
  return yield* tables.run(DELETE_CLEARED);
}

/** Removes rows without a key from the open rows. */
export function deleteKeyless(tables: Tables, rows: readonly RowName[]): Work<unknown> {
  return tables.run(DELETE_KEYLESS, rows.map(nameOfRow));
}

/** Adds rows without a key to the open rows. */
export function restoreKeyless(tables: Tables, rows: readonly RowName[]): Work<unknown> {
  return tables.run(RESTORE_KEYLESS, rows.map(nameOfRow));
}

function nameOfRow({ run, record }: RowName): string {
  return JSON.stringify([run, record]);
}

export function* earlierWithoutKey(tables: Tables, { number }: RunRow): Work<readonly RowWithoutKey[]> {
  const rows = yield* tables.rows(SELECT_OLDER_KEYLESS, number);
  return rows.map(({ rowHash, ...row }) => ({ ...row, rowHash: rowHash ?? undefined }));
}

/** The statuses of items that are not sent, but that a new plan notes as the latest items of their records. */
const NOT_SENT = ["blocked", "ambiguous", "invalid", "excluded"] as const;

/**
 * Returns an SQL condition that is true if the record may be open without being left to send. A SQLite ledger has an
 * index of these records and of ambiguous records. There are three cases:
 * - The record was accepted, and a later plan has different content (even if the planned content was sent earlier).
 * - The latest item of the record is invalid or excluded.
 * - The record was rejected, or already existed on the platform.
 */
export function heldOpen(prefix: "" | "records."): string {
  return `${outdated(prefix)} or ${prefix}held = 1 or ${prefix}state = 'rejected' or ${prefix}state = 'existing'`;
}

function outdated(prefix: "" | "records."): string {
  return `${prefix}accepted_content <> ${prefix}planned_content`;
}

/** Notes which of the records left to send have become invalid. Call this with records of a planned run. */
export function holdInvalid(tables: Tables, run: number, found: readonly { readonly record: number }[]): Work<void> {
  const records = found.map(({ record }) => [record]);
  return tables.runEach(HOLD, run, records);
}

const HOLD: EachStatement = {
  sqlite: `
    update records set held = 1
    where planned_run = $1 and identity = (select identity from items where run = $1 and record = $2)`,
  postgres: `
    update migrate.records set held = 1 from migrate.items
    where items.run = $1 and items.record = any($2::int[]) and planned_run = $1 and records.identity = items.identity`,
};

/**
 * Returns SQL for `since_run` when a push plans a record: the id of that push if the platform had the previously
 * planned content, otherwise the earlier value.
 */
export function sinceRun(prefix: "known." | "records.", run: string): string {
  const accepted = `${prefix}accepted_content`;
  return `case
    when ${prefix}state not in ('ambiguous', 'existing') and ${accepted} <> ''::bytea
      and ${accepted} = coalesce(${prefix}planned_content, ${accepted}) then ${run}
    else coalesce(${prefix}since_run, ${run}) end`;
}

/** The items of the run that are not sent, by record. If a record has several items, the first item counts. */
const FIRST_ITEMS = `
  with firsts as materialized (
    select identity, min(record) as record, count(content) = count(*) and count(distinct content) = 1 as is_one
    from migrate.items
    where run = $1 and status in (${NOT_SENT.map((status) => `'${status}'`).join(", ")}) and identity is not null
    group by identity
  )`;

const NOTE_RECORDS = `
  ${FIRST_ITEMS}
  update migrate.records set since_run = ${sinceRun("records.", "$1")}, planned_run = $1,
    planned_record = items.record, planned_content = case when firsts.is_one then items.content else ''::bytea end,
    held = case when items.status in ('invalid', 'excluded') then 1 end
  from firsts inner join migrate.items on items.run = $1 and items.record = firsts.record
  where records.identity = firsts.identity and coalesce(records.planned_run, 0) <> $1`;

const NOTE_UNSENT = `
  ${FIRST_ITEMS}
  update migrate.unsent set planned_run = $1, planned_record = firsts.record from firsts
  where unsent.identity = firsts.identity and unsent.planned_run <> $1`;

/**
 * For skipped records, notes that their latest plan has the same content as the platform, or an older version of that
 * content. Call this after records of the run have become `skipped`. Once the plan is finished, an earlier latest item
 * means that the run is an older re-import (`later-plans.ts`).
 */
export function* noteSkipped(tables: Tables, run: number): Work<void> {
  if (yield* exists(tables, ANY_OUTDATED)) yield* tables.run(NOTE_SKIPPED, run);
}

const ANY_OUTDATED = `select 1 as found from migrate.records /*+ indexed by records_open */ where ${outdated("")} limit 1`;

const NOTE_SKIPPED = `
  with found as materialized (
    select identity, min(record) as record from migrate.items
    where run = $1 and status <> 'duplicate' and identity in (
      select identity from migrate.records /*+ indexed by records_open */ where ${outdated("")})
    group by identity having count(*) filter (where status <> 'skipped') = 0
  )
  update migrate.records set planned_run = $1, planned_record = found.record, planned_content = accepted_content
  from found where records.identity = found.identity and coalesce(planned_run, 0) <= $1
    and (coalesce(planned_run, $1) = $1 or (select state from migrate.runs where id = $1) = 'planning')`;

/**
 * Inserts rows into `records` for the records of a resumed run that are left to send, although no earlier plan could
 * send them. Otherwise, these rows would be inserted when the records are sent, without a reference to their plans.
 */
export function* planUnsent(tables: Tables, run: number): Work<void> {
  if (!(yield* exists(tables, ANY_UNSENT))) return;
  yield* tables.run(MOVE_UNSENT, run);
  yield* tables.run(DELETE_MOVED);
}

const ANY_UNSENT = "select 1 as found from migrate.unsent limit 1";

const moveUnsent = (otherContent: string): string => `
  insert into migrate.records
    (identity, content, state, attempts, other_content, since_run, planned_run, planned_record, planned_content, held)
  select items.identity, items.content, 'pending', 0, ${otherContent}, unsent.since_run, unsent.planned_run,
    unsent.planned_record, coalesce(latest.content, ''::bytea), case when latest.status = 'invalid' then 1 end
  from migrate.items /*+ indexed by items_open */
  inner join migrate.unsent on unsent.identity = items.identity
  inner join migrate.items as latest on latest.run = unsent.planned_run and latest.record = unsent.planned_record
  where items.run = $1 and items.status = 'pending' and items.content is not null
  order by items.record
  on conflict (identity) do nothing`;

const MOVE_UNSENT: Sql = {
  sqlite: moveUnsent(NEW_OTHER_CONTENT.sqlite),
  postgres: moveUnsent(NEW_OTHER_CONTENT.postgres),
};

/** Deletes the rows in `unsent` whose records have rows in `records`. */
export const DELETE_MOVED: string = `
  delete from migrate.unsent where exists (select 1 from migrate.records where records.identity = unsent.identity)`;

const ANY_OLDER_KEYLESS = "select 1 as found from migrate.keyless where run <> $1 limit 1";

/** The rows without a key in earlier pushes to the destination of the run. */
const OLDER_KEYLESS = `
  from migrate.runs as own
  inner join migrate.runs as other on other.target = own.target and other.supplier = own.supplier
    and other.endpoint = own.endpoint and other.id <> own.id
  inner join migrate.keyless on keyless.run = other.id
  inner join migrate.items as earlier on earlier.run = keyless.run and earlier.record = keyless.record
  where own.id = $1`;

/**
 * Adds the run's rows without a key to `keyless`. A row that was already in the table keeps its `since_run`.
 * `DELETE_REPEATED_KEYLESS` then removes the earlier entry.
 */
const INSERT_KEYLESS = `
  insert into migrate.keyless (run, record, since_run)
  with older as materialized (
    select earlier.row_hash, min(keyless.since_run) as since_run ${OLDER_KEYLESS} group by earlier.row_hash
  )
  select items.run, items.record, coalesce(older.since_run, items.run)
  from migrate.items left join older on older.row_hash = items.row_hash
  where items.run = $1 and items.status = 'invalid' and items.identity is null`;

/** Deletes the earlier entries of rows that this run also contains. */
const DELETE_REPEATED_KEYLESS = `
  delete from migrate.keyless where (run, record) in (
    select keyless.run, keyless.record ${OLDER_KEYLESS} and earlier.row_hash in (
      select row_hash from migrate.items where run = $1 and status = 'invalid' and identity is null))`;

const withRows = (text: (rows: string) => string): Sql => ({
  sqlite: text("select json_extract(value, '$[0]') as run, json_extract(value, '$[1]') as record from json_each($1)"),
  postgres: text(
    "select each::json ->> 0 as run, (each::json ->> 1)::integer as record from unnest($1::text[]) as each",
  ),
});

const DELETE_KEYLESS = withRows(
  (rows) => `
  delete from migrate.keyless where (run, record) in (
    select runs.id, given.record from (${rows}) as given inner join migrate.runs on runs.name = given.run)`,
);

const RESTORE_KEYLESS = withRows(
  (rows) => `
  insert into migrate.keyless (run, record, since_run)
  select runs.id, given.record, runs.id from (${rows}) as given inner join migrate.runs on runs.name = given.run
  where true on conflict do nothing`,
);

const CLEAR_IDENTITIES = withRows(
  (rows) => `
  update migrate.items set identity = null where identity in (
    select exported.identity from (${rows}) as given
    inner join migrate.runs on runs.name = given.run
    inner join migrate.items as exported on exported.run = runs.id and exported.record = given.record
    inner join migrate.unsent on unsent.identity = exported.identity
    inner join migrate.items as latest on latest.run = unsent.planned_run and latest.record = unsent.planned_record
    where latest.status = 'invalid' and exported.identity not in (
      select identity from migrate.items where run = $2 and identity is not null))`,
);

const DELETE_CLEARED = `
  delete from migrate.unsent where (planned_run, planned_record) in (
    select run, record from migrate.items where run = planned_run and record = planned_record and identity is null)`;

const SELECT_OLDER_KEYLESS = statement<Selected<RowWithoutKey>>(`
  select older.run, older.record, files.name as file, older.row_hash as "rowHash" from (
    select other.name as run, earlier.record, earlier.file, earlier.row_hash ${OLDER_KEYLESS}
  ) as older inner join migrate.files on files.id = older.file`);
