import type { InputPosition } from "../../model/record.ts";
import type { NextSendable } from "../records/requests.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { statement, type Tables, type Work } from "./tables.ts";

/** Saves a position, unless the ledger contains no records from the position's file. */
export function* notePosition(tables: Tables, run: RunRow, { record, file, byte, line }: InputPosition): Work<void> {
  yield* tables.run(INSERT_POSITION, run.number, record, byte, line, file);
}

const INSERT_POSITION = `
  insert into migrate.positions (run, record, byte, line, file)
  select $1, $2, $3, $4, id from migrate.files where name = $5
  on conflict (run, record) do update set byte = excluded.byte, line = excluded.line, file = excluded.file`;

export function* nextSendable(tables: Tables, run: RunRow, from: number): Work<NextSendable | undefined> {
  const next = yield* tables.row(SELECT_NEXT, run.number, from);
  if (next === undefined) return undefined;
  const position = yield* tables.row(SELECT_POSITION, run.number, next.record);
  return { record: next.record, ...(position !== undefined && { position }) };
}

/** Uses the index of open records, because a run that was interrupted near its end has few open records. */
const SELECT_NEXT = statement<{ record: number }>(`
  select record from migrate.items /*+ indexed by items_open */
  where run = $1 and record >= $2 and status = 'pending' and identity is not null and content is not null
  order by record limit 1`);

const SELECT_POSITION = statement<InputPosition>(`
  select record, files.name as file, byte, line
  from migrate.positions inner join migrate.files on files.id = positions.file
  where run = $1 and record <= $2 order by record desc limit 1`);
