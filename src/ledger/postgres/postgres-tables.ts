import * as runs from "../tables/runs.ts";
import {
  type EachStatement,
  finish,
  type Scalar,
  type Sql,
  type Statement,
  statement,
  type Tables,
  waitFor,
  type Work,
} from "../tables/tables.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import type * as postgres from "./queries.ts";
import { readKey, writtenKey } from "./written-key.ts";

const BATCH = 1000;

export interface PostgresTables extends Tables {
  readonly queries: postgres.Queries;
}

/**
 * Returns the tables of a PostgreSQL ledger, for code that PostgreSQL and SQLite ledgers share. Reading in batches
 * requires a transaction.
 */
export function postgresTables(queries: postgres.Queries | postgres.Transaction): PostgresTables {
  return {
    queries,
    dialect: "postgres",
    name: queries.name,
    rows: (given, ...values) => waitFor(queries.rows(ownStatement(given), ...values)),
    row: (given, ...values) => waitFor(queries.row(ownStatement(given), ...values)),
    run: (sql, ...values) => waitFor(queries.run(textOf(sql), ...values)),
    *runEach({ postgres: sql }: EachStatement, run, rows) {
      if (rows.length > 0) yield* waitFor(queries.run(sql, run, ...columnsOf(rows)));
    },
    *eachBatch<Row>(
      { sql }: Statement<Row>,
      values: readonly number[],
      handle: (rows: readonly Row[]) => Work<void>,
    ): Work<void> {
      if (!("batches" in queries)) throw new Error("Only a transaction can read in batches.");
      const batches = queries.batches(statement<Row>(withNumbers(textOf(sql), values)), BATCH);
      for (;;) {
        const { done, value } = yield* waitFor(batches.next());
        if (done === true) return;
        yield* handle(value);
      }
    },
    writtenKey,
    readKey,
  };
}

/** Converts rows with the same number of values to columns, for `unnest`. */
export function columnsOf(rows: readonly (readonly Scalar[])[]): readonly (readonly Scalar[])[] {
  const [first = []] = rows;
  return first.map((_, column) => rows.map((row) => row[column] ?? null));
}

function ownStatement<Row>({ sql, ...given }: Statement<Row>): postgres.PostgresStatement<Row> {
  return { ...given, sql: textOf(sql) };
}

function textOf(sql: Sql): string {
  return typeof sql === "string" ? sql : sql.postgres;
}

/** Inserts the values into the SQL, because a cursor's query cannot have parameters. */
function withNumbers(text: string, values: readonly number[]): string {
  return text.replaceAll(/\$(\d+)/g, (_, position: string) => String(Number(values[Number(position) - 1])));
}

/** @throws Failure `run_unknown` if the ledger has no run with this id */
export async function requireRun(queries: postgres.Queries, id: string): Promise<RunRow> {
  return finish(runs.requireRun(postgresTables(queries), id));
}
