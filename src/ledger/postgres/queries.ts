import type { Statement, TableValue } from "../tables/tables.ts";
import { type CustomTypesConfig, type PoolClient, type QueryResult, type QueryResultRow, types } from "pg";

export type PostgresStatement<Row> = Statement<Row, string>;

/** Runs statements, either all on one connection or each on any connection. */
export interface Queries {
  /** For messages: the address without its password. */
  readonly name: string;
  readonly rows: <Row>(statement: PostgresStatement<Row>, ...values: readonly TableValue[]) => Promise<readonly Row[]>;
  readonly row: <Row>(statement: PostgresStatement<Row>, ...values: readonly TableValue[]) => Promise<Row | undefined>;
  /** Returns the number of changed rows. */
  readonly run: (sql: string, ...values: readonly TableValue[]) => Promise<number>;
}

/** One transaction. All of its queries use the same connection. */
export interface Transaction extends Queries {
  /** Yields the rows of a query without parameters, in batches. The transaction may write between batches. */
  readonly batches: <Row>(statement: PostgresStatement<Row>, size: number) => AsyncGenerator<readonly Row[]>;
}

const ANSWER_TIMEOUT_MS = 30_000;

export function ask<Row>(
  client: PoolClient,
  { sql, isQuick = false }: PostgresStatement<Row>,
  values: readonly TableValue[] = [],
): Promise<QueryResult<Row & QueryResultRow>> {
  return client.query<Row & QueryResultRow>({
    text: sql,
    values: [...values],
    types: TYPES,
    ...(isQuick && { query_timeout: ANSWER_TIMEOUT_MS }),
  });
}

const INT8_OID = 20;

/** Parses counts as numbers. Counts are 64-bit integers, which `pg` would return as strings. */
const TYPES: CustomTypesConfig = {
  getTypeParser: (oid: number) => (oid === INT8_OID ? Number : types.getTypeParser(oid, "text")),
};

/** @param withClient runs work on a connection */
export function queriesOver(
  name: string,
  withClient: <Result>(work: (client: PoolClient) => Promise<Result>) => Promise<Result>,
): Queries {
  const rows: Queries["rows"] = async (statement, ...values) =>
    (await withClient((client) => ask(client, statement, values))).rows;
  return {
    name,
    rows,
    row: async (statement, ...values) => (await rows(statement, ...values))[0],
    run: async (sql, ...values) => (await withClient((client) => ask(client, { sql }, values))).rowCount ?? 0,
  };
}

export function transactionOn(client: PoolClient, name: string, guard: Guard = runImmediately): Transaction {
  let cursors = 0;
  return {
    ...queriesOver(name, (work) => guard(() => work(client))),
    async *batches(statement, size) {
      cursors += 1;
      const cursor = `batches_${cursors}`;
      await guard(() => ask(client, { sql: `declare ${cursor} no scroll cursor for ${statement.sql}` }));
      for (;;) {
        const { rows } = await guard(() => ask(client, { ...statement, sql: `fetch ${size} from ${cursor}` }));
        if (rows.length > 0) yield rows;
        if (rows.length < size) break;
      }
      await guard(() => ask(client, { sql: `close ${cursor}` }));
    },
  };
}

/** Performs work, and converts its errors into the errors that callers expect. */
export type Guard = <Result>(work: () => Promise<Result>) => Promise<Result>;

const runImmediately: Guard = (work) => work();
