import type { Status } from "../../../model/outcome.ts";
import type { Place } from "../../../model/place.ts";
import type { LocalFinding, LocalProblem, Severity } from "../../../model/problem.ts";
import { appendPlanProblem } from "../tables/problem-table.ts";
import { keyPlace } from "../../records/key-place.ts";
import type { PlanPolicy } from "../../ledger.ts";
import type { RunRow } from "../ledger-schema.ts";
import { findKeyDamage } from "../../../text/key-damage.ts";
import { SQL_NORMAL_KEY } from "../../../text/near-key.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/**
 * Finds keys that occur more than once in the input of the run, and keys that are nearly equal. If all records of a
 * key have the same content, the first one stays and the others become `duplicate`. If their contents differ, the
 * intended one is unknown and all become `invalid`. Each nearly equal key gets a warning.
 *
 * SQLite sorts on disk and findings are read in batches, so memory does not grow with the input.
 */
export function markDuplicateKeys(database: SqliteDatabase, run: RunRow, policy: PlanPolicy): void {
  database.execute(DROP_TABLES + CREATE_TABLES);
  if (database.run(INSERT_NEAR_GROUPS, run.number) > 0) {
    database.run(INSERT_KEYS, run.number);
    database.run(UPDATE_NEAR);
    database.run(INSERT_FINDINGS, run.number);
    for (let last = 0; ;) {
      const findings = database.rows(SELECT_FINDINGS, run.number, last, BATCH);
      for (const finding of findings) markFinding(database, run, policy, finding);
      last = findings.at(-1)?.record ?? last;
      if (findings.length < BATCH) break;
    }
  }
  database.execute(DROP_TABLES);
}

const BATCH = 500;

const DROP_TABLES = `
  drop table if exists temp.near_groups; drop table if exists temp.shared_keys; drop table if exists temp.findings;`;

const CREATE_TABLES = `
  create temp table near_groups (match text primary key) without rowid;
  create temp table shared_keys (
    key text primary key, match text not null, first integer not null, occurs integer not null,
    differs integer not null, near integer
  ) without rowid;
  create temp table findings (record integer primary key, same_key integer, differs integer not null, near integer);`;

const MATCH = SQL_NORMAL_KEY;

const INSERT_NEAR_GROUPS = `
  insert into near_groups
  select ${MATCH} from items where run = ? and key is not null group by ${MATCH} having count(*) > 1`;

/** A record without content cannot be shown to equal another. */
const INSERT_KEYS = `
  insert into shared_keys (key, match, first, occurs, differs)
  select key, match, min(record), count(*), count(content) < count(*) or min(content) <> max(content)
  from items cross join near_groups on match = ${MATCH}
  where run = ? and key is not null group by key`;

const UPDATE_NEAR = `
  update shared_keys set near = others.near
  from (
    select key, coalesce(lag(first) over by_match, lead(first) over by_match) as near
    from shared_keys window by_match as (partition by match order by first)
  ) as others
  where others.key = shared_keys.key`;

/** `same_key`: the first record if all contents are equal, otherwise the nearest one. */
const INSERT_FINDINGS = `
  insert into findings (record, same_key, differs, near)
  select record,
    case
      when occurs = 1 then null
      when not differs then nullif(first, record)
      when earlier is null or later - record < record - earlier then later
      else earlier
    end as other,
    differs, near
  from (
    select items.record, first, occurs, differs, shared_keys.near,
      lag(items.record) over by_key as earlier, lead(items.record) over by_key as later
    from items cross join shared_keys on shared_keys.key = items.key
    where items.run = ? and (occurs > 1 or shared_keys.near is not null)
    window by_key as (partition by items.key order by items.record)
  )
  where other is not null or near is not null`;

interface FindingRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
  readonly differs: number;
  readonly sameFile: string | null;
  readonly sameLine: number | null;
  readonly nearFile: string | null;
  readonly nearLine: number | null;
  readonly key: string;
  readonly nearKey: string | null;
}

const SELECT_FINDINGS: Query<FindingRow> = {
  sql: `
  select findings.record, differs, own_file.name as file, own.line as line,
    same_file.name as sameFile, same.line as sameLine, near_file.name as nearFile, near.line as nearLine,
    own.key, near.key as nearKey
  from findings
  cross join items as own on own.run = ?1 and own.record = findings.record
  cross join files as own_file on own_file.id = own.file
  left join items as same on same.run = ?1 and same.record = findings.same_key
  left join files as same_file on same_file.id = same.file
  left join items as near on near.run = ?1 and near.record = findings.near
  left join files as near_file on near_file.id = near.file
  where findings.record > ?2 order by findings.record limit ?3`,
};

function markFinding(database: SqliteDatabase, run: RunRow, policy: PlanPolicy, finding: FindingRow): void {
  const item = { run: run.number, record: finding.record };
  const place = keyPlace(policy, finding.file, finding.line);
  const add = (severity: Severity, found: LocalFinding): void => {
    const problem: LocalProblem = { attr: policy.keyAttr, severity, by: "local", place, ...found };
    appendPlanProblem(database, item, problem);
  };

  const same = otherPlace(policy, finding.sameFile, finding.sameLine);
  if (same !== undefined) {
    const sameContent = finding.differs === 0;
    const status: Status = sameContent ? "duplicate" : "invalid";
    database.run("update items set status = ? where run = ? and record = ?", status, item.run, item.record);
    add("error", { code: "duplicate_key", other: same, sameContent });
  }
  const isNear = finding.nearKey !== null && findKeyDamage(finding.nearKey, finding.key) !== undefined;
  const near = isNear ? otherPlace(policy, finding.nearFile, finding.nearLine) : undefined;
  if (near !== undefined) add("warning", { code: "near_duplicate_key", other: near });
}

function otherPlace(policy: PlanPolicy, file: string | null, line: number | null): Place | undefined {
  return file === null || line === null ? undefined : keyPlace(policy, file, line);
}
