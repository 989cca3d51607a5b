import type PgBoss from "pg-boss";
import type { PostgresDatabase } from "../postgres-database.ts";
import type { Queries } from "../queries.ts";
import { statement, type TableValue } from "../../tables/tables.ts";

/** The schema in which pg-boss keeps its jobs. */
const JOB_SCHEMA = "migrate_jobs";
/**
 * Time limit of a job. pg-boss requires a limit of less than a day. The limit has no effect, because only the lease of
 * a range matters.
 */
const EXPIRY_SECONDS = 23 * 60 * 60;
/** Maximum number of times that a range may lose its worker. */
const RETRIES = 10_000;

/** The job that assigns a range. Ranges are assigned in the order of their first records. */
export interface RangeJob {
  readonly id: string;
  readonly first: number;
}

/** Assigns the ranges of one run in order, each to one worker at a time. */
export interface RangeQueue {
  /** Creates the queue and its schema if they are missing. */
  readonly create: () => Promise<void>;
  /** Removes all jobs, because an earlier planner may have died before it removed them. */
  readonly clear: (transaction: Queries) => Promise<void>;
  readonly add: (jobs: readonly RangeJob[], transaction: Queries) => Promise<void>;
  /** Takes the next job. Resolves to undefined if no job is available at the moment. */
  readonly take: (transaction: Queries) => Promise<RangeJob | undefined>;
  readonly complete: (id: string, transaction: Queries) => Promise<void>;
  /** Returns jobs to the queue for other workers. */
  readonly requeue: (ids: readonly string[], transaction: Queries) => Promise<void>;
  /** Removes the queue and its jobs. */
  readonly remove: () => Promise<void>;
}

/** Opens the queue of a run. pg-boss works in the caller's transactions, and opens no connections of its own. */
export async function openRangeQueue(database: PostgresDatabase, run: string): Promise<RangeQueue> {
  const { default: Boss } = await import("pg-boss");
  const boss = new Boss({ db: sqlInTransactions(database), schema: JOB_SCHEMA, supervise: false, schedule: false });
  const name = `ranges-${run}`;
  return {
    async create() {
      if ((await database.row(SELECT_SCHEMA)) === undefined)
        await database.run(`create schema if not exists ${JOB_SCHEMA}`);
      await boss.start();
      await boss.createQueue(name, { name, retryLimit: RETRIES, retryDelay: 0, expireInSeconds: EXPIRY_SECONDS });
    },
    async add(jobs, transaction) {
      const inserts = jobs.map(({ id, first }, index) => ({ id, name, data: { first }, priority: -index }));
      await boss.insert(inserts, { db: sqlOf(transaction) });
    },
    clear: (transaction) => clear(transaction, name),
    async take(transaction) {
      const { db, failure } = remembering(sqlOf(transaction));
      const [job] = await boss.fetch<{ readonly first: number }>(name, { ...NEXT, db });
      if (failure() !== undefined) throw failure();
      return job && { id: job.id, first: job.data.first };
    },
    async complete(id, transaction) {
      await boss.complete(name, id, {}, { db: sqlOf(transaction) });
    },
    async requeue(ids, transaction) {
      for (const id of ids) await boss.fail(name, id, {}, { db: sqlOf(transaction) });
    },
    async remove() {
      // The ledger may have been restored without the tables of pg-boss.
      if ((await database.row(SELECT_JOB_TABLE))?.there !== true) return;
      await database.transaction(async (transaction) => {
        await clear(transaction, name);
        await transaction.run(DELETE_QUEUE, name);
      });
    },
  };
}

/**
 * Creates and removes a queue, to check that the database user has the required privileges.
 * @throws Failure `config` if a privilege is missing
 */
export async function tryRangeQueue(database: PostgresDatabase): Promise<void> {
  const queue = await openRangeQueue(database, "trial");
  await queue.create();
  await queue.remove();
}

/**
 * Options for taking one job. They ignore the server time at which the job was returned to the queue, because the
 * server's clock may have been changed.
 */
const NEXT = { batchSize: 1, ignoreStartAfter: true } as const;

const SELECT_SCHEMA = statement<{ there: boolean }>(
  `select true as there from pg_namespace where nspname = '${JOB_SCHEMA}'`,
);

const SELECT_JOB_TABLE = statement<{ there: boolean }>(`select to_regclass('${JOB_SCHEMA}.job') is not null as there`);

/** Has no effect if the queue is already deleted. The function of pg-boss fails for a missing queue. */
const DELETE_QUEUE = `
  select ${JOB_SCHEMA}.delete_queue(name)
  from (select name from ${JOB_SCHEMA}.queue where name = $1 for update) as found`;

/** Deletes all jobs of a queue. pg-boss deletes jobs only by id, and does not delete a queue that still has a job. */
async function clear(queries: Queries, name: string): Promise<void> {
  await queries.run(`delete from ${JOB_SCHEMA}.job where name = $1`, name);
}

/** Remembers the failure of a query, because pg-boss treats an error in its `fetch` as an empty queue. */
function remembering(db: PgBoss.Db): { readonly db: PgBoss.Db; readonly failure: () => unknown } {
  let failure: unknown;
  return {
    failure: () => failure,
    db: {
      async executeSql(sql, values) {
        try {
          return await db.executeSql(sql, values);
        } catch (error) {
          failure = error;
          throw error;
        }
      },
    },
  };
}

/** Runs the queries of pg-boss on the given connection. */
function sqlOf(queries: Queries): PgBoss.Db {
  return {
    async executeSql(sql, values: readonly (TableValue | undefined)[] = []) {
      // SQL text with several statements returns no rows.
      const found: readonly object[] | undefined = await queries.rows<object>(
        { sql },
        ...values.map((one) => one ?? null),
      );
      return { rows: [...(found ?? [])] };
    },
  };
}

/**
 * A statement of pg-boss that is removed because it requires the privilege to create schemas, even if the schema
 * already exists.
 */
const MAKE_SCHEMA = `CREATE SCHEMA IF NOT EXISTS ${JOB_SCHEMA}`;

/**
 * Does the same as `sqlOf` for the statements that create the tables. Each statement runs in its own transaction,
 * because it may fail if another process creates the tables at the same time.
 */
function sqlInTransactions(database: PostgresDatabase): PgBoss.Db {
  return {
    executeSql: (sql, values) =>
      database.transaction((transaction) => sqlOf(transaction).executeSql(sql.replace(MAKE_SCHEMA, ""), values)),
  };
}
