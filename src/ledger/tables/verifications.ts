import type { TargetDestination } from "../migration-state.ts";
import type { RecordVerification, Verification, VerifiedCounts } from "../records/verifications.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { type EachStatement, statement, type Tables, type Work } from "./tables.ts";

export function* acceptedLast(
  tables: Tables,
  run: RunRow,
  from: number,
  to: number,
): Work<ReadonlyMap<number, Verification | undefined>> {
  const rows = yield* tables.rows(SELECT_ACCEPTED_LAST, run.number, from, to);
  return new Map(rows.map(({ record, verified }) => [record, verified ?? undefined]));
}

const SELECT_ACCEPTED_LAST = statement<{ readonly record: number; readonly verified: Verification | null }>(`
  select items.record, records.verified
  from migrate.items inner join migrate.records on records.identity = items.identity
  where items.run = $1 and items.record between $2 and $3
    and records.accepted_content in (items.content, ''::bytea)`);

/** The next request for a record deletes its verification. */
export function saveVerifications(
  tables: Tables,
  run: RunRow,
  verifications: readonly RecordVerification[],
  at: string,
): Work<void> {
  const rows = verifications.map(({ record, verification }) => [record, verification, at]);
  return tables.runEach(UPDATE_VERIFIED, run.number, rows);
}

/**
 * SQL condition: the platform is known to have the content of the item. In other states, the content on the platform is
 * unknown.
 */
const CAN_BE_VERIFIED = "records.state in ('accepted', 'rejected') and records.accepted_content = items.content";

const UPDATE_VERIFIED: EachStatement = {
  sqlite: `
    update records set verified = $3, verified_at = $4 from items
    where items.run = $1 and items.record = $2 and records.identity = items.identity and ${CAN_BE_VERIFIED}`,
  postgres: `
    update migrate.records set verified = each.verified, verified_at = each.at
    from unnest($2::int[], $3::text[], $4::text[]) as each (record, verified, at)
    inner join migrate.items on items.run = $1 and items.record = each.record
    where records.identity = items.identity and ${CAN_BE_VERIFIED}`,
};

interface VerifiedDestination extends TargetDestination {
  readonly verified: VerifiedCounts;
}

/** Returns the counts of verified records, for each destination that has verified records. */
export function* verifiedCounts(tables: Tables): Work<readonly VerifiedDestination[]> {
  const destinations = new Map<string, VerifiedDestination>();
  for (const { verified, count, at, ...destination } of yield* tables.rows(COUNT_VERIFIED)) {
    const name = JSON.stringify(destination);
    const before = destinations.get(name)?.verified ?? { same: 0, different: 0, absent: 0, at };
    const latest = at > before.at ? at : before.at;
    destinations.set(name, { ...destination, verified: { ...before, [verified]: count, at: latest } });
  }
  return [...destinations.values()];
}

const COUNT_VERIFIED = statement<TargetDestination & { verified: Verification; count: number; at: string }>(`
  select runs.target, runs.supplier, runs.endpoint, verified, sum(count)::bigint as count, max(at) as at
  from (
    select planned_run, verified, count(*) as count, max(verified_at) as at
    from migrate.records /*+ indexed by records_verified */ where verified is not null
    group by planned_run, verified
  ) as each inner join migrate.runs on runs.id = planned_run group by 1, 2, 3, 4`);
