import type { Coverage } from "../../ledger.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/** See `Ledger.coverage`. The latest destination first. */
export function coverage(database: SqliteDatabase): readonly Coverage[] {
  return database.rows(SELECT_COVERAGE).map(({ latest: _latest, ...found }) => found);
}

/** A record that was accepted, and refused when it was revised, is on the platform still; \`x''\`: another one is. */
const SELECT_COVERAGE: Query<Coverage & { readonly latest: number }> = {
  sql: `
  select max(latest) as latest, target, supplier, operation, count(*) as records, count(accepted) as accepted
  from (
    select max(runs.id) as latest, runs.target, runs.supplier, runs.operation,
      coalesce(runs.endpoint, runs.operation) as endpoint, items.identity,
      (select 1 from records where records.identity = items.identity and accepted_content <> x'') as accepted
    from runs cross join items on items.run = runs.id
    where runs.command = 'push' and not runs.dry_run and items.identity is not null
    group by items.identity, runs.endpoint, runs.supplier
  )
  group by target, supplier, endpoint order by 1 desc`,
};
