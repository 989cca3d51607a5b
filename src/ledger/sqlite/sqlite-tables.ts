import { canonicalKey } from "../../text/canonical-key.ts";
import {
  answer,
  type Sql,
  type Statement,
  statement,
  type Tables,
  type TableValue,
  type Work,
} from "../tables/tables.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.ts";

const BATCH = 500;

/**
 * Returns the tables of a SQLite ledger, for code that SQLite and PostgreSQL ledgers share. All methods return their
 * results synchronously.
 */
export function sqliteTables(database: SqliteDatabase): Tables {
  let batches = 0;

  return {
    dialect: "sqlite",
    name: database.path,
    rows: ({ sql }, ...values) => answer(database.rows({ sql: textOf(sql) }, ...values.map(valueOf))),
    row: ({ sql }, ...values) => answer(database.row({ sql: textOf(sql) }, ...values.map(valueOf))),
    run: (sql, ...values) => answer(database.run(textOf(sql), ...values.map(valueOf))),
    runEach(given, run, rows) {
      const sql = textOf(given);
      for (const row of rows) database.run(sql, run, ...row.map(valueOf));
      return answer(undefined);
    },
    /**
     * Copies the rows first, so that changes to the tables do not affect the copied rows. Memory use does not grow with
     * the number of rows.
     */
    *eachBatch<Row>(
      { sql }: Statement<Row>,
      values: readonly number[],
      handle: (rows: readonly Row[]) => Work<void>,
    ): Work<void> {
      batches += 1;
      const table = `temp.batch_${batches}`;
      const query = statement<Row>(`select * from ${table} where rowid > ? order by rowid limit ${BATCH}`);
      database.execute(`drop table if exists ${table}; create table ${table} as ${withNumbers(textOf(sql), values)}`);
      for (let last = 0; ;) {
        const rows = database.rows(query, last);
        if (rows.length > 0) yield* handle(rows);
        last += rows.length;
        if (rows.length < BATCH) break;
      }
      database.execute(`drop table ${table}`);
      batches -= 1;
    },
    writtenKey: canonicalKey,
    readKey: (key) => key,
  };
}

function valueOf(value: TableValue): SqlValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}

const texts = new Map<string, string>();

function textOf(sql: Sql): string {
  const given = typeof sql === "string" ? sql : sql.sqlite;
  const known = texts.get(given);
  if (known !== undefined) return known;
  const text = given
    .replaceAll("migrate.", "")
    .replaceAll("''::bytea", "x''")
    .replaceAll(/::\w+(?:\[\])?/g, "")
    .replaceAll(/= any\(\$(\d+)\)/g, "in (select value from json_each(?$1))")
    .replaceAll(/\$(\d+)/g, "?$1")
    .replaceAll(/\binner join\b/g, "cross join")
    .replaceAll(/\/\*\+([^*]*)\*\//g, "$1");
  texts.set(given, text);
  return text;
}

/** Inserts the values into the SQL, because a statement that creates a table cannot have parameters. */
function withNumbers(text: string, values: readonly number[]): string {
  return text.replaceAll(/\?(\d+)/g, (_, position: string) => String(Number(values[Number(position) - 1])));
}
