import type { HeldBack } from "./ledger.ts";
import { appendPlanProblem } from "./problem-table.ts";
import type { RunRow } from "./run-row.ts";
import type { Query, SqliteDatabase } from "./sqlite-database.ts";

/** Makes the planned records whose rows begin at these places `invalid`; one pass over the plan, however many there are. */
export function holdBack(database: SqliteDatabase, run: RunRow, held: readonly HeldBack[]): void {
  if (held.length === 0) return;
  database.transaction(() => {
    database.execute(DROP_TABLE + CREATE_TABLE);
    for (const [position, { file, line }] of held.entries()) {
      database.run("insert into temp.held (file, line, position) values (?, ?, ?)", file, line, position);
    }
    for (const { record, position } of database.rows(SELECT_HELD, run.number)) {
      const problem = held[position]?.problem;
      if (problem === undefined) continue;
      database.run("update items set status = 'invalid' where run = ? and record = ?", run.number, record);
      appendPlanProblem(database, { run: run.number, record }, problem);
    }
    database.execute(DROP_TABLE);
  });
}

const DROP_TABLE = "drop table if exists temp.held;";
const CREATE_TABLE = `
  create temp table held (file text, line integer, position integer, primary key (file, line, position)) without rowid;`;

const SELECT_HELD: Query<{ readonly record: number; readonly position: number }> = {
  sql: `
  select items.record, held.position
  from items
  cross join files on files.id = items.file
  cross join temp.held as held on held.file = files.name and held.line = items.line
  where items.run = ? and items.status in ('valid', 'pending', 'invalid')
  order by items.record, held.position`,
};
