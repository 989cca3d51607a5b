import type { LocalProblem } from "../../../model/problem.ts";
import { otherMatches } from "../../../text/key-damage.ts";
import { KEPT_DIGITS, SQL_KEPT_DIGITS, SQL_NORMAL_KEY } from "../../../text/near-key.ts";
import type { PlanPolicy } from "../../ledger.ts";
import {
  type KnownKey,
  nearKnownKey,
  type NewKey,
  REFUSED_KEY_CODES,
  rowSentUnderOtherKey,
  visiblyDamagedKey,
} from "../../records/known-keys.ts";
import { rowMarker } from "../../records/row-hash.ts";
import type { RunRow } from "../ledger-schema.ts";
import { NO_RUN } from "../tables/recovery-log.ts";
import { appendPlanProblem } from "../tables/problem-table.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/**
 * Makes a record `invalid` if its key is new and may be a changed form of a key from an earlier run to the same
 * address: it would create a second account. The same applies to a new key of a row that was sent under another key,
 * and to a key that a spreadsheet has visibly changed.
 *
 * Only the new keys are indexed. The plans of earlier runs are read once, and only if there are new keys.
 */
export function refuseNearKnownKeys(database: SqliteDatabase, run: RunRow, policy: PlanPolicy): void {
  database.execute(DROP_TABLES + CREATE_TABLES);
  const refuse = recordRefuser(database, run, policy);
  const hasOthers = database.row(OTHER_RUN, run.number) !== undefined || database.row(ANY_ROW_MARK) !== undefined;
  if (hasOthers && database.run(INSERT_NEW_KEYS, run.number) > 0) {
    addJournaledRows(database, run);
    database.execute(CREATE_INDEXES);
    addOtherMatches(database);
    database.run(insertNear(SQL_NORMAL_KEY), run.number);
    if (database.row(ANY_KEPT_DIGITS) !== undefined) database.run(insertNear(SQL_KEPT_DIGITS), run.number);
    database.run(INSERT_SAME_ROWS, run.number);
    database.run(INSERT_OWN_ROWS, run.number);
    database.run(DELETE_OWN_ROWS);
    refuse(SELECT_NEAR, nearKnownKey);
    refuse(SELECT_SAME_ROWS, rowSentUnderOtherKey);
  }
  refuse(SELECT_SUSPECTS, visiblyDamagedKey);
  database.execute(DROP_TABLES);
}

const ANY_ROW_MARK: Query<{ found: 1 }> = {
  sql: `select 1 as found from attempts where run = ${NO_RUN} and row_mark is not null limit 1`,
};

/**
 * Adds new keys of rows that were sent under other keys, according to a journal. Those other keys are unknown.
 */
function addJournaledRows(database: SqliteDatabase, run: RunRow): void {
  const destination = database.row(SELECT_DESTINATION, run.number);
  if (destination === undefined || database.run(INSERT_JOURNALED_ROWS) === 0) return;
  const markOf = rowMarker(destination);
  for (let last = 0; ;) {
    const found = database.rows(SELECT_NEW_ROWS, last);
    for (const { record, rowHash } of found) database.run(INSERT_SAME_JOURNALED, record, rowHash, markOf(rowHash));
    last = found.at(-1)?.id ?? last;
    if (found.length < BATCH) return;
  }
}

const SELECT_DESTINATION: Query<{ endpoint: string; supplier: string }> = {
  sql: "select endpoint, supplier from runs where id = ?",
};

const BATCH = 500;

const OTHER_RUN: Query<{ id: number }> = {
  sql: `
  select other.id from runs as own cross join runs as other
  where own.id = ? and other.id <> own.id and other.endpoint = own.endpoint and other.supplier = own.supplier limit 1`,
};

const DROP_TABLES = `
  drop table if exists temp.new_keys; drop table if exists temp.near_known; drop table if exists temp.same_rows;
  drop table if exists temp.own_rows; drop table if exists temp.journaled_rows; drop table if exists temp.refused_keys;`;

const CREATE_TABLES = `
  create temp table new_keys (match text not null, record integer not null, key text not null, row_hash integer);
  create temp table near_known (id integer primary key, record integer not null, known text not null, sent integer not null);
  create temp table same_rows (
    id integer primary key, record integer not null, known text not null, identity blob not null, row_hash integer not null
  );
  create temp table journaled_rows (row_mark integer not null, identity blob not null, primary key (row_mark, identity))
    without rowid;
  create temp table own_rows (identity blob not null, row_hash integer not null, primary key (identity, row_hash))
    without rowid;
  create temp table refused_keys (record integer primary key);`;

const WAS_SENT = "records.accepted_content is not null or records.state in ('ambiguous', 'sending')";

const INSERT_JOURNALED_ROWS = `
  insert or ignore into journaled_rows
  select attempts.row_mark, attempts.identity
  from attempts join records on records.identity = attempts.identity
  where attempts.run = ${NO_RUN} and attempts.row_mark is not null and (${WAS_SENT})`;

const SELECT_NEW_ROWS: Query<{ id: number; record: number; rowHash: number }> = {
  sql: `
  select rowid as id, record, row_hash as rowHash from new_keys
  where rowid > ? and row_hash is not null order by rowid limit ${BATCH}`,
};

const INSERT_SAME_JOURNALED = `
  insert into same_rows (record, known, identity, row_hash)
  select ?1, '', identity, ?2 from journaled_rows where row_mark = ?3`;

const IS_NEW = `
  status in ('valid', 'pending') and key is not null and identity is not null
    and not exists (select 1 from records where identity = items.identity)`;

const INSERT_NEW_KEYS = `
  insert into new_keys
  select ${SQL_NORMAL_KEY}, record, key, row_hash from items where run = ? and ${IS_NEW}`;

const CREATE_INDEXES = `
  create index temp.new_keys_by_match on new_keys (match);
  create index temp.new_keys_by_row on new_keys (row_hash) where row_hash is not null;`;

interface NewKeyRow {
  readonly id: number;
  readonly record: number;
  readonly key: string;
}

/** Keys that may be dates (`11/01/2010`, `Jan-11`) or long numbers. */
const SELECT_DATES_AND_NUMBERS: Query<NewKeyRow> = {
  sql: `
  select rowid as id, record, key from new_keys
  where rowid > ? and row_hash is not -1 and (
    length(match) > ${KEPT_DIGITS} and match not glob '*[^0-9]*'
    or length(key) between 3 and 11 and (key glob '[0-9]*[-/. ]*[-/. ]*[0-9]' or key glob '[A-Za-z][A-Za-z][A-Za-z]*[0-9]'
      or key glob '[0-9]*[A-Za-z][A-Za-z][A-Za-z]' or key glob '[0-9]*[-/.][0-9]*')
  ) order by rowid limit ${BATCH}`,
};

const ANY_KEPT_DIGITS: Query<{ found: 1 }> = { sql: "select 1 as found from new_keys where match glob '*~' limit 1" };

/** A row hash is never negative, so -1 marks the other forms of a key. */
function addOtherMatches(database: SqliteDatabase): void {
  for (let last = 0; ;) {
    const found = database.rows(SELECT_DATES_AND_NUMBERS, last);
    for (const { record, key } of found)
      for (const match of otherMatches(key))
        database.run("insert into new_keys values (?, ?, ?, -1)", match, record, key);
    last = found.at(-1)?.id ?? last;
    if (found.length < BATCH) return;
  }
}

const EARLIER_ITEMS = `
  runs as own
  cross join runs as earlier on earlier.endpoint = own.endpoint and earlier.supplier = own.supplier and earlier.id <> own.id
  cross join items on items.run = earlier.id`;

/**
 * Keys that were sent come first, then the smallest key.
 * @param match SQL of the form of an earlier item's key to compare
 */
const insertNear = (match: string): string => `
  insert into near_known (record, known, sent)
  select new_keys.record, items.key, max(coalesce(${WAS_SENT}, 0)) as sent
  from ${EARLIER_ITEMS}
  cross join new_keys on new_keys.match = ${match} and new_keys.key <> items.key
  left join records on records.identity = items.identity
  where own.id = ? and (records.state is not null or not exists (
    select 1 from problems
    where problems.run = items.run and problems.record = items.record and problems.attempt = 0
      and problems.code in (${REFUSED_KEY_CODES.map((code) => `'${code}'`).join(", ")})
  ))
  group by new_keys.record, items.key
  order by new_keys.record, sent desc, items.key`;

const INSERT_SAME_ROWS = `
  insert into same_rows (record, known, identity, row_hash)
  select new_keys.record, items.key, items.identity, items.row_hash
  from ${EARLIER_ITEMS}
  cross join new_keys on new_keys.row_hash = items.row_hash and new_keys.key <> items.key
  cross join records on records.identity = items.identity
  where own.id = ? and items.row_hash is not null and (${WAS_SENT})
  order by new_keys.record, items.key`;

/**
 * If the earlier key is in this plan with the same row, the row belongs to it, and the row of the new key is a
 * different one.
 */
const INSERT_OWN_ROWS = `
  insert or ignore into own_rows
  select identity, row_hash from items
  where run = ? and row_hash is not null and identity in (select identity from same_rows)`;

const DELETE_OWN_ROWS = `
  delete from same_rows where exists (
    select 1 from own_rows where own_rows.identity = same_rows.identity and own_rows.row_hash = same_rows.row_hash
  )`;

type FoundKey = NewKey & Pick<KnownKey, "known"> & { readonly id: number; readonly sent: 0 | 1 };

const FOUND_RECORD =
  "cross join items on items.run = ?1 and items.record = found.record cross join files on files.id = items.file";

const SELECT_NEAR: Query<FoundKey> = {
  sql: `
  select found.id, found.record, items.key, found.known, found.sent, files.name as file, items.line
  from near_known as found ${FOUND_RECORD} where found.id > ?2 order by found.id limit ?3`,
};

const SELECT_SAME_ROWS: Query<FoundKey> = {
  sql: `
  select found.id, found.record, items.key, found.known, 1 as sent, files.name as file, items.line
  from same_rows as found ${FOUND_RECORD} where found.id > ?2 order by found.id limit ?3`,
};

const SELECT_SUSPECTS: Query<FoundKey> = {
  sql: `
  select items.record as id, items.record, items.key, '' as known, 0 as sent, files.name as file, items.line
  from items cross join files on files.id = items.file
  where run = ?1 and record > ?2
    and (items.key glob '[0-9]*[Ee]+*' or substr(items.key, 1, 1) in ('''', '’', '=', '#')) and ${IS_NEW}
  order by record limit ?3`,
};

/** Refuses each record once, with its first problem. */
function recordRefuser(database: SqliteDatabase, run: RunRow, policy: PlanPolicy) {
  const refuse = (record: number, problem: LocalProblem): void => {
    if (database.run("insert or ignore into refused_keys values (?)", record) === 0) return;
    database.run("update items set status = 'invalid' where run = ? and record = ?", run.number, record);
    appendPlanProblem(database, { run: run.number, record }, problem);
  };
  return (
    query: Query<FoundKey>,
    problemOf: (found: NewKey & KnownKey, policy: PlanPolicy) => LocalProblem | undefined,
  ): void => {
    for (let last = 0; ;) {
      const found = database.rows(query, run.number, last, BATCH);
      for (const each of found) {
        const problem = problemOf({ ...each, wasSent: each.sent !== 0 }, policy);
        if (problem !== undefined) refuse(each.record, problem);
      }
      last = found.at(-1)?.id ?? last;
      if (found.length < BATCH) return;
    }
  };
}
