import type { InputPosition } from "../../../model/record.ts";
import type { NextSendable } from "../../ledger.ts";
import type { RunRow } from "../ledger-schema.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/** Ignores a file without records in the ledger. */
export function notePosition(database: SqliteDatabase, run: RunRow, { record, file, byte, line }: InputPosition): void {
  database.transaction(() => database.run(INSERT_POSITION, run.number, record, byte, line, file));
}

const INSERT_POSITION = `
  insert or replace into positions (run, record, byte, line, file)
  select ?1, ?2, ?3, ?4, id from files where name = ?5`;

export function nextSendable(database: SqliteDatabase, run: RunRow, from: number): NextSendable | undefined {
  const next = database.row(SELECT_NEXT, run.number, from);
  if (next === undefined) return undefined;
  const position = database.row(SELECT_POSITION, run.number, next.record);
  return { record: next.record, ...(position !== undefined && { position }) };
}

/** A run that was interrupted near its end has few open records. */
const SELECT_NEXT: Query<{ record: number }> = {
  sql: `
  select record from items indexed by items_open
  where run = ? and record >= ? and status = 'pending' and identity is not null and content is not null
  order by record limit 1`,
};

const SELECT_POSITION: Query<InputPosition> = {
  sql: `
  select record, files.name as file, byte, line from positions cross join files on files.id = positions.file
  where run = ? and record <= ? order by record desc limit 1`,
};
