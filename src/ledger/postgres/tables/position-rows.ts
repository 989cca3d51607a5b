import type { InputPosition } from "../../../model/record.ts";
import type { NextSendable } from "../../ledger.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Queries, Statement, Transaction } from "../queries.ts";

/** Ignores a file without records in the ledger. */
export async function notePosition(
  transaction: Transaction,
  run: RunRow,
  { record, file, byte, line }: InputPosition,
): Promise<void> {
  await transaction.run(INSERT_POSITION, run.number, record, byte, line, file);
}

const INSERT_POSITION = `
  insert into migrate.positions (run, record, byte, line, file)
  select $1, $2, $3, $4, id from migrate.files where name = $5
  on conflict (run, record) do update set byte = excluded.byte, line = excluded.line, file = excluded.file`;

export async function nextSendable(queries: Queries, run: RunRow, from: number): Promise<NextSendable | undefined> {
  const next = await queries.row(SELECT_NEXT, run.number, from);
  if (next === undefined) return undefined;
  const position = await queries.row(SELECT_POSITION, run.number, next.record);
  return { record: next.record, ...(position !== undefined && { position }) };
}

const SELECT_NEXT: Statement<{ record: number }> = {
  sql: `
  select record from migrate.items
  where run = $1 and record >= $2 and status = 'pending' and identity is not null and content is not null
  order by record limit 1`,
};

const SELECT_POSITION: Statement<InputPosition> = {
  sql: `
  select record, files.name as file, byte, line
  from migrate.positions join migrate.files on files.id = positions.file
  where run = $1 and record <= $2 order by record desc limit 1`,
};
