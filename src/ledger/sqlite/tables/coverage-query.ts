import type { Coverage } from "../../ledger.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/** See `Ledger.coverage`. Latest destination first. */
export function coverage(database: SqliteDatabase): readonly Coverage[] {
  return database.rows(SELECT_COVERAGE).map(({ latest: _latest, ...found }) => found);
}

const SELECT_COVERAGE: Query<Coverage & { readonly latest: number }> = {
  sql: `
  select max(runs.id) as latest, runs.target, runs.supplier, runs.operation, coverage.records, coverage.accepted
  from coverage
  cross join runs on runs.target = coverage.target and runs.supplier = coverage.supplier
    and runs.endpoint = coverage.endpoint
  where runs.command = 'push' and not runs.dry_run and runs.state <> 'planning'
  group by coverage.target, coverage.supplier, coverage.endpoint order by 1 desc`,
};
