import type { Status } from "../../../model/outcome.ts";
import type { Place } from "../../../model/place.ts";
import type { LocalFinding, LocalProblem, Severity } from "../../../model/problem.ts";
import type { PlanPolicy } from "../../ledger.ts";
import { keyPlace } from "../../records/key-place.ts";
import { findKeyDamage } from "../../../text/key-damage.ts";
import { SQL_NORMAL_KEY } from "../../../text/near-key.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Statement, Transaction } from "../queries.ts";
import { readKey } from "../written-key.ts";
import { applyFindings } from "./plan-findings.ts";

/**
 * Finds keys that occur more than once in the input of the run, and keys that are nearly equal. If all records of a
 * key have the same content, the first one stays and the others become `duplicate`. If their contents differ, the
 * intended one is unknown and all become `invalid`. Each nearly equal key gets a warning.
 */
export async function markDuplicateKeys(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  await applyFindings(transaction, run, {
    statement: selectFindings(run),
    found: (row) => {
      const found = findingsOf(row, policy);
      const place = keyPlace(policy, row.file, row.line);
      const problems = found.map(({ severity, finding }): LocalProblem => ({
        attr: policy.keyAttr,
        severity,
        by: "local",
        place,
        ...finding,
      }));
      return { record: row.record, status: statusOf(row), problems };
    },
  });
}

interface FindingRow {
  readonly record: number;
  readonly file: string;
  readonly line: number;
  readonly differs: boolean;
  readonly sameFile: string | null;
  readonly sameLine: number | null;
  readonly nearFile: string | null;
  readonly nearLine: number | null;
  readonly key: string;
  readonly nearKey: string | null;
}

/**
 * A record without content cannot be shown to equal another. `same_key`: the first record if all contents are equal,
 * otherwise the nearest one.
 */
function selectFindings({ number }: RunRow): Statement<FindingRow> {
  const match = SQL_NORMAL_KEY;
  return {
    sql: `
    with near_groups as materialized (
      select ${match} as match from migrate.items where run = ${number} and key is not null
      group by 1 having count(*) > 1
    ), shared_keys as materialized (
      select key, match, min(record) as first, count(*) as occurs,
        count(content) < count(*) or count(distinct content) > 1 as differs
      from migrate.items join near_groups on near_groups.match = ${match}
      where run = ${number} and key is not null group by key, match
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
        from migrate.items join known on known.key = items.key
        where items.run = ${number} and (occurs > 1 or known.near is not null)
        window by_key as (partition by items.key order by items.record)
      ) as each
    )
    select found.record, differs, own_file.name as file, own.line as line,
      same_file.name as "sameFile", same.line as "sameLine", near_file.name as "nearFile", nearest.line as "nearLine",
      own.key, nearest.key as "nearKey"
    from found
    join migrate.items as own on own.run = ${number} and own.record = found.record
    join migrate.files as own_file on own_file.id = own.file
    left join migrate.items as same on same.run = ${number} and same.record = found.same_key
    left join migrate.files as same_file on same_file.id = same.file
    left join migrate.items as nearest on nearest.run = ${number} and nearest.record = found.near
    left join migrate.files as near_file on near_file.id = nearest.file
    where found.same_key is not null or found.near is not null
    order by found.record`,
  };
}

function statusOf({ sameFile, differs }: FindingRow): Status | undefined {
  if (sameFile === null) return undefined;
  return differs ? "invalid" : "duplicate";
}

interface SevereFinding {
  readonly severity: Severity;
  readonly finding: LocalFinding;
}

function findingsOf(row: FindingRow, policy: PlanPolicy): readonly SevereFinding[] {
  const same = otherPlace(policy, row.sameFile, row.sameLine);
  const isNear = row.nearKey !== null && findKeyDamage(readKey(row.nearKey), readKey(row.key)) !== undefined;
  const near = isNear ? otherPlace(policy, row.nearFile, row.nearLine) : undefined;
  const found: SevereFinding[] = [];
  if (same !== undefined) {
    found.push({ severity: "error", finding: { code: "duplicate_key", other: same, sameContent: !row.differs } });
  }
  if (near !== undefined) found.push({ severity: "warning", finding: { code: "near_duplicate_key", other: near } });
  return found;
}

function otherPlace(policy: PlanPolicy, file: string | null, line: number | null): Place | undefined {
  return file === null || line === null ? undefined : keyPlace(policy, file, line);
}
