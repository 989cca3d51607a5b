import type { LocalProblem } from "../../../model/problem.ts";
import type { PlanPolicy } from "../../ledger.ts";
import type { RunRow } from "../ledger-schema.ts";
import { appendPlanProblem } from "../tables/problem-table.ts";
import { keyProblem } from "../../records/key-place.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/**
 * Makes a record `invalid` whose key is new, and almost that of a record which the platform has or may have from an
 * earlier run to the same address: a spreadsheet that dropped the zeros of a key would create its account a second time.
 * Only where there are new keys, the plans of earlier runs are gone through, once.
 */
export function refuseNearKnownKeys(database: SqliteDatabase, run: RunRow, policy: PlanPolicy): void {
  if (database.row(OTHER_RUN, run.number) === undefined) return;
  database.execute(DROP_TABLES + CREATE_TABLES);
  if (database.run(INSERT_NEW_KEYS, run.number) > 0) {
    database.run(INSERT_FINDINGS, run.number);
    for (let last = 0; ;) {
      const findings = database.rows(SELECT_FINDINGS, run.number, last, BATCH);
      for (const finding of findings) refuse(database, run, policy, finding);
      last = findings.at(-1)?.record ?? last;
      if (findings.length < BATCH) break;
    }
  }
  database.execute(DROP_TABLES);
}

const BATCH = 500;

const OTHER_RUN: Query<{ id: number }> = {
  sql: `
  select other.id from runs as own cross join runs as other
  where own.id = ? and other.id <> own.id and other.endpoint = own.endpoint and other.supplier = own.supplier limit 1`,
};

const DROP_TABLES = "drop table if exists temp.new_keys; drop table if exists temp.near_known;";

const CREATE_TABLES = `
  create temp table new_keys (match text not null, record integer not null, key text not null);
  create index temp.new_keys_by_match on new_keys (match);
  create temp table near_known (record integer primary key, key text not null);`;

const INSERT_NEW_KEYS = `
  insert into new_keys
  select coalesce(near, key), record, key from items
  where run = ? and status in ('valid', 'pending') and key is not null
    and not exists (select 1 from records where identity = items.identity)`;

/** Of several near ones the least. */
const INSERT_FINDINGS = `
  insert into near_known
  select new_keys.record, min(other.key)
  from runs as own
  cross join runs as earlier on earlier.endpoint = own.endpoint and earlier.supplier = own.supplier and earlier.id <> own.id
  cross join items as other on other.run = earlier.id
  cross join new_keys on new_keys.match = coalesce(other.near, other.key) and new_keys.key <> other.key
  cross join records on records.identity = other.identity
  where own.id = ?
    and (records.accepted_content is not null or records.state in ('ambiguous', 'sending'))
  group by new_keys.record`;

interface FindingRow {
  readonly record: number;
  readonly key: string;
  readonly known: string;
  readonly file: string;
  readonly line: number;
}

const SELECT_FINDINGS: Query<FindingRow> = {
  sql: `
  select near_known.record, items.key, near_known.key as known, files.name as file, items.line
  from near_known
  cross join items on items.run = ?1 and items.record = near_known.record
  cross join files on files.id = items.file
  where near_known.record > ?2 order by near_known.record limit ?3`,
};

function refuse(database: SqliteDatabase, run: RunRow, policy: PlanPolicy, finding: FindingRow): void {
  const { record, key, known, file, line } = finding;
  const problem: LocalProblem = {
    ...keyProblem("error", { file, line }, policy),
    code: "near_known_key",
    key,
    known,
  };
  database.run("update items set status = 'invalid' where run = ? and record = ?", run.number, record);
  appendPlanProblem(database, { run: run.number, record }, problem);
}
