import type { Status } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { LocalFinding, LocalProblem, Severity } from "../../model/problem.ts";
import { findKeyCorruption } from "../../text/key-corruption.ts";
import { SQL_NORMAL_KEY } from "../../text/near-key.ts";
import type { PlannedPlace, PlanPolicy } from "../records/planned-item.ts";
import { cellPlace, keyProblem } from "../records/key-place.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { statement, type Tables, type Work } from "../tables/tables.ts";
import { writeEach } from "./findings.ts";

/**
 * Finds keys that occur more than once in the input of the run, and keys that are nearly equal. If all records with a
 * key have the same content, the first record stays and the others become `duplicate`. If their contents differ, it is
 * unknown which record is correct, so all become `invalid`. Each nearly equal key gets a warning.
 */
export function* markDuplicateKeys(tables: Tables, run: RunRow, policy: PlanPolicy): Work<void> {
  yield* writeEach(tables, run, SELECT_FINDINGS, (row) => ({
    record: row.record,
    status: statusOf(row),
    problems: problemsOf(tables, row, policy),
  }));
}

interface FindingRow extends PlannedPlace {
  readonly differs: boolean | 0 | 1;
  readonly sameRecord: number | null;
  readonly sameFile: string | null;
  readonly sameLine: number | null;
  readonly nearRecord: number | null;
  readonly nearFile: string | null;
  readonly nearLine: number | null;
  readonly key: string;
  readonly nearKey: string | null;
}

/**
 * Finds the records with a key that occurs more than once or is nearly equal to another key. A record without content
 * counts as different from all other records. `same_key` is the first record if all contents are equal, otherwise the
 * nearest record.
 */
const SELECT_FINDINGS = statement<FindingRow>(`
  with near_groups as materialized (
    select ${SQL_NORMAL_KEY} as match from migrate.items where run = $1 and key is not null
    group by 1 having count(*) > 1
  ), shared_keys as materialized (
    select key, match, min(record) as first, count(*) as occurs,
      count(content) < count(*) or count(distinct content) > 1 as differs
    from migrate.items inner join near_groups on near_groups.match = ${SQL_NORMAL_KEY}
    where run = $1 and key is not null group by key, match
  ), known as materialized (
    select shared_keys.*, coalesce(lag(first) over by_match, lead(first) over by_match) as near
    from shared_keys window by_match as (partition by match order by first)
  ), found as (
    select record, differs, near,
      case
        when occurs = 1 then null
        when not differs then nullif(first, record)
        when earlier is null or later - record < record - earlier then later
        else earlier
      end as same_key
    from (
      select items.record, first, occurs, differs, known.near,
        lag(items.record) over by_key as earlier, lead(items.record) over by_key as later
      from migrate.items inner join known on known.key = items.key
      where items.run = $1 and (occurs > 1 or known.near is not null)
      window by_key as (partition by items.key order by items.record)
    ) as each
  )
  select found.record, differs, own_file.name as file, own.line as line,
    same.record as "sameRecord", same_file.name as "sameFile", same.line as "sameLine",
    nearest.record as "nearRecord", near_file.name as "nearFile", nearest.line as "nearLine",
    own.key, nearest.key as "nearKey"
  from found
  inner join migrate.items as own on own.run = $1 and own.record = found.record
  inner join migrate.files as own_file on own_file.id = own.file
  left join migrate.items as same on same.run = $1 and same.record = found.same_key
  left join migrate.files as same_file on same_file.id = same.file
  left join migrate.items as nearest on nearest.run = $1 and nearest.record = found.near
  left join migrate.files as near_file on near_file.id = nearest.file
  where found.same_key is not null or found.near is not null
  order by found.record`);

function statusOf({ sameFile, differs }: FindingRow): Status | undefined {
  if (sameFile === null) return undefined;
  return differs ? "invalid" : "duplicate";
}

function problemsOf(tables: Tables, row: FindingRow, policy: PlanPolicy): readonly LocalProblem[] {
  const problem = (severity: Severity, finding: LocalFinding): LocalProblem => ({
    ...keyProblem(severity, row, policy),
    ...finding,
  });
  const same = otherPlace(policy, row.sameRecord, row.sameFile, row.sameLine);
  const nearKey = tables.readKey(row.nearKey);
  const isNear = nearKey !== null && findKeyCorruption(nearKey, tables.readKey(row.key)) !== undefined;
  const near = isNear ? otherPlace(policy, row.nearRecord, row.nearFile, row.nearLine) : undefined;
  const found: LocalProblem[] = [];
  if (same !== undefined) {
    found.push(problem("error", { code: "duplicate_key", other: same, sameContent: !row.differs }));
  }
  if (near !== undefined) found.push(problem("warning", { code: "near_duplicate_key", other: near }));
  return found;
}

function otherPlace(
  policy: PlanPolicy,
  record: number | null,
  file: string | null,
  line: number | null,
): Place | undefined {
  return record === null || file === null || line === null ? undefined : cellPlace(policy, { record, file, line });
}
