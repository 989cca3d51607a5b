import type { LocalProblem } from "../../../model/problem.ts";
import type { PlanPolicy } from "../../ledger.ts";
import type { RunRow } from "../ledger-schema.ts";
import { appendPlanProblem } from "../tables/problem-table.ts";
import { keyProblem } from "../../records/key-place.ts";
import { PLAN_ATTEMPT } from "../../records/stored-problem.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/**
 * Makes a record `skipped`, with a warning, if its row is an older version of an accepted record. An earlier run found
 * the same content invalid, or the platform refused it, and the record was accepted after that, from corrected
 * rejects. Content that is in no earlier run is treated as a change. The same applies to a record for which the
 * platform was found to have other content (x'').
 */
export function passOverCorrected(database: SqliteDatabase, run: RunRow, policy: PlanPolicy): void {
  if (database.row(EARLIER_RUN, run.number) === undefined) return;
  database.execute(DROP_TABLE + CREATE_TABLE);
  if (database.run(INSERT_CANDIDATES, run.number) > 0) {
    database.run(MARK_OLDER, run.number);
    for (let last = 0; ;) {
      const older = database.rows(SELECT_OLDER, last, BATCH);
      for (const each of older) passOver(database, run, policy, each);
      last = older.at(-1)?.record ?? last;
      if (older.length < BATCH) break;
    }
  }
  database.execute(DROP_TABLE);
}

const BATCH = 500;

const EARLIER_RUN: Query<{ readonly id: number }> = {
  sql: "select id from runs where id < ? and command = 'push' limit 1",
};

const DROP_TABLE = "drop table if exists temp.corrected;";

const CREATE_TABLE = `
  create temp table corrected (record integer primary key, identity blob not null, content blob not null,
    file integer not null, line integer not null, accepted_at text not null, account text, older integer not null);
  create index temp.corrected_by_identity on corrected (identity);`;

/** Most accepted records have the accepted content, so only the others are examined. */
const INSERT_CANDIDATES = `
  insert into corrected
  select items.record, items.identity, items.content, items.file, items.line, records.accepted_at, records.account, 0
  from items cross join records on records.identity = items.identity
  where items.run = ?1 and items.status in ('valid', 'pending', 'invalid') and items.content is not null
    and records.accepted_content is not null and records.accepted_content <> x'' and records.accepted_at is not null and records.state <> 'ambiguous'
    and (items.status = 'invalid' or records.accepted_content <> items.content)`;

const MARK_OLDER = `
  update corrected set older = 1 where record in (
    select corrected.record
    from runs as earlier
    cross join items as other on other.run = earlier.id
    cross join corrected on corrected.identity = other.identity and corrected.content = other.content
    where earlier.id < ?1 and earlier.started_at < corrected.accepted_at
      and other.status in ('invalid', 'rejected'))`;

interface OlderRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
  readonly acceptedAt: string;
  readonly account: string | null;
}

const SELECT_OLDER: Query<OlderRow> = {
  sql: `
  select corrected.record, files.name as file, corrected.line, corrected.accepted_at as acceptedAt, corrected.account
  from corrected cross join files on files.id = corrected.file
  where corrected.older = 1 and corrected.record > ? order by corrected.record limit ?`,
};

function passOver(database: SqliteDatabase, run: RunRow, policy: PlanPolicy, older: OlderRow): void {
  const { record, file, line, acceptedAt, account } = older;
  const problem: LocalProblem = {
    ...keyProblem("warning", { file, line }, policy),
    code: "corrected_since",
    acceptedAt,
  };
  database.run(
    `delete from problems where run = ? and record = ? and attempt = ${PLAN_ATTEMPT} and severity = 'error'`,
    run.number,
    record,
  );
  const toSkipped = "update items set status = 'skipped', account = ? where run = ? and record = ?";
  database.run(toSkipped, account, run.number, record);
  appendPlanProblem(database, { run: run.number, record }, problem);
}
