import { type Exclusion, type ExclusionEnd, type ExclusionResult, identifiedRow } from "../records/exclusions.ts";
import type { RowName } from "../records/planned-item.ts";
import { hexOf } from "../records/record-hashes.ts";
import { deleteKeyless, restoreKeyless } from "./planned-records.ts";
import {
  overIdentities,
  type Selected,
  type Sql,
  type Statement,
  statement,
  type Tables,
  type Work,
} from "./tables.ts";

/** Returns an SQL condition that is true if the record is currently excluded. */
export const isExcluded = (table: "records" | "items" | "unsent"): string =>
  `exists (select 1 from migrate.exclusions where exclusions.identity = ${table}.identity and undone_at is null)`;

export function* excludeRecords(tables: Tables, given: readonly Exclusion[]): Work<readonly ExclusionResult[]> {
  const names = given.map(({ identity }) => hexOf(identity));
  const results = resultsOf(yield* found(tables, names), names);
  const made = given.filter((_, index) => results[index] === "excluded");
  const rows = made.map(({ identity, key, at, who, reason }) =>
    JSON.stringify([hexOf(identity), tables.writtenKey(key), at, who, reason].map((text) => text.toWellFormed())),
  );
  const excluded = made.map(({ identity }) => identity);
  const identities = excluded.map(hexOf);
  yield* tables.run(INSERT, rows);
  yield* deleteKeyless(tables, rowsOf(excluded));
  yield* tables.run(HOLD, identities);
  yield* tables.run(DELETE_PROBLEMS, identities);
  yield* tables.run(MARK_LEFT, identities);
  return results;
}

function rowsOf(identities: readonly Uint8Array[]): readonly RowName[] {
  return identities.flatMap((identity) => identifiedRow(identity) ?? []);
}

interface FoundRow {
  readonly identity: string;
  readonly isExcluded: number | boolean;
  readonly isAccepted: number | boolean;
  readonly isUnsettled: number | boolean;
}

/** Returns the states of the records with these identities (in hexadecimal), by identity. */
function* found(tables: Tables, names: readonly string[]): Work<ReadonlyMap<string, FoundRow>> {
  const rows = yield* tables.rows(SELECT_FOUND, names);
  return new Map(rows.map((row) => [row.identity, row]));
}

function resultsOf(rows: ReadonlyMap<string, FoundRow>, names: readonly string[]): readonly ExclusionResult[] {
  const seen = new Set<string>();
  return names.map((name): ExclusionResult => {
    const row = rows.get(name);
    if (row?.isExcluded || seen.has(name)) return "excluded before";
    if (row?.isAccepted) return "accepted";
    if (row?.isUnsettled) return "unsettled";
    seen.add(name);
    return "excluded";
  });
}

/** SQL condition: the request belongs to the last completed step, whose name may end in a hash (`completedStep`). */
export const IS_COMPLETED =
  "(records.step = attempts.step or substr(records.step, 1, length(attempts.step) + 2) = attempts.step || ' #')";

/**
 * Returns SQL for the states of records. A record counts as unsettled if its last completed step may still create it,
 * as a scheduled import does. A completed step that creates nothing (`harmless`) leaves the record settled. An
 * interrupted request that can be repeated leaves its record `pending`. The platform may still have processed the
 * request, so such a record also counts as unsettled.
 */
const selectFound = (list: string, bytes: string): string => `
  with unsettled as materialized (
    select attempts.identity
    from migrate.attempts inner join migrate.records on records.identity = attempts.identity
    where attempts.identity in (select ${bytes} from ${list}) and case
      when ${IS_COMPLETED} then not attempts.harmless
      else attempts.harmless and attempts.status = 'pending' and attempts.attempt = records.attempts end
  )
  select each.value as identity,
    exists (select 1 from migrate.exclusions where identity = ${bytes} and undone_at is null) as "isExcluded",
    coalesce(accepted_content, ''::bytea) <> ''::bytea as "isAccepted",
    coalesce(state in ('ambiguous', 'sending'), false) or ${bytes} in (select identity from unsettled) as "isUnsettled"
  from ${list} left join migrate.records on records.identity = ${bytes}`;

const SELECT_FOUND = statement<FoundRow>(overIdentities(selectFound));

const INSERT: Sql = {
  sqlite: `
    insert into exclusions (identity, key, excluded_at, who, reason)
    select unhex(json_extract(value, '$[0]')), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
      json_extract(value, '$[3]'), json_extract(value, '$[4]') from json_each(?1)`,
  postgres: `
    insert into migrate.exclusions (identity, key, excluded_at, who, reason)
    select decode(value::json ->> 0, 'hex'), value::json ->> 1, value::json ->> 2, value::json ->> 3, value::json ->> 4
    from unnest($1::text[]) as value`,
};

const withIdentities = (text: (identities: string) => string): Sql => ({
  sqlite: text("select unhex(value) from json_each($1)"),
  postgres: text("select decode(value, 'hex') from unnest($1::text[]) as value"),
});

/** Marks the records as possibly open (`planned-records.ts`). */
const HOLD = withIdentities((identities) => `update migrate.records set held = 1 where identity in (${identities})`);

/**
 * Returns SQL for the items of these records that are left to send. SQLite uses its index of open records only if the
 * query names a single status.
 */
const leftItems = (identities: string): string =>
  ["pending", "blocked"]
    .map(
      (status) => `
      select run, record from migrate.items /*+ indexed by items_open */
      where status = '${status}' and identity in (${identities})`,
    )
    .join(" union all ");

const DELETE_PROBLEMS = withIdentities(
  (identities) => `delete from migrate.problems where attempt = 0 and (run, record) in (${leftItems(identities)})`,
);

const MARK_LEFT = withIdentities(
  (identities) => `update migrate.items set status = 'excluded' where (run, record) in (${leftItems(identities)})`,
);

export function* endExclusions(
  tables: Tables,
  identities: readonly Uint8Array[],
  { at, who }: ExclusionEnd,
): Work<readonly boolean[]> {
  const names = identities.map(hexOf);
  const rows = yield* found(tables, names);
  yield* tables.run(END, names, at, who);
  yield* tables.run(RELEASE, names);
  const wasExcluded = names.map((name) => Boolean(rows.get(name)?.isExcluded));
  yield* restoreKeyless(tables, rowsOf(identities.filter((_, index) => wasExcluded[index])));
  return wasExcluded;
}

const END = withIdentities(
  (identities) => `
  update migrate.exclusions set undone_at = $2, undone_by = $3 where undone_at is null and identity in (${identities})`,
);

const RELEASE = withIdentities(
  (identities) => `
  update migrate.records set held = case when (
    select status from migrate.items where run = planned_run and record = planned_record) = 'invalid' then 1 end
  where identity in (${identities})`,
);

export function* exclusions(tables: Tables, key?: string): Work<readonly Exclusion[]> {
  const rows = yield* key === undefined
    ? tables.rows(SELECT_CURRENT)
    : tables.rows(SELECT_OF_KEY, tables.writtenKey(key));
  return rows.map(({ undoneAt, undoneBy, identity, ...row }) => ({
    ...row,
    // The PostgreSQL driver returns a subclass of `Uint8Array`.
    identity: new Uint8Array(identity),
    key: tables.readKey(row.key),
    ...(undoneAt !== null && { undoneAt }),
    ...(undoneBy !== null && { undoneBy }),
  }));
}

const selectExclusions = (rest: string): Statement<Selected<Exclusion>> =>
  statement(`
  select identity, key, excluded_at as at, who, reason, undone_at as "undoneAt", undone_by as "undoneBy"
  from migrate.exclusions ${rest}`);

const SELECT_CURRENT = selectExclusions("where undone_at is null order by key, identity");
const SELECT_OF_KEY = selectExclusions("where key = $1 order by excluded_at, identity");
