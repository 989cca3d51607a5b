import type PgBoss from "pg-boss";
import type { PostgresDatabase } from "../postgres-database.ts";
import type { PostgresValue, Queries, Statement } from "../queries.ts";

/** The schema that pg-boss keeps its jobs in. */
const JOB_SCHEMA = "migrate_jobs";
/** pg-boss allows less than a day. The lease of the range is what counts: nobody here lets jobs expire. */
const EXPIRY_SECONDS = 23 * 60 * 60;
/** As often as a range can lose its worker. */
const RETRIES = 10_000;

/** A range as a job: which, and the order in which it is given out. */
export interface RangeJob {
  readonly id: string;
  readonly first: number;
}

/** Hands the ranges of one run out, each to one worker at a time, the first ones first. */
export interface RangeQueue {
  /** Makes the queue where it is missing, in a schema that is made where it is missing. */
  readonly create: () => Promise<void>;
  /** Forgets all its jobs: an earlier planner may have died before it had removed them. */
  readonly clear: (transaction: Queries) => Promise<void>;
  readonly add: (jobs: readonly RangeJob[], transaction: Queries) => Promise<void>;
  /** The next job; undefined when there is none just now. */
  readonly take: (transaction: Queries) => Promise<RangeJob | undefined>;
  readonly complete: (id: string, transaction: Queries) => Promise<void>;
  /** Gives jobs to whoever asks next. */
  readonly giveBack: (ids: readonly string[], transaction: Queries) => Promise<void>;
  /** With all its jobs, whatever became of them. */
  readonly remove: () => Promise<void>;
}

/** Loads pg-boss, which keeps no connections of its own here: it works in our transactions. */
export async function openRangeQueue(database: PostgresDatabase, run: string): Promise<RangeQueue> {
  const { default: Boss } = await import("pg-boss");
  const boss = new Boss({ db: sqlInTransactions(database), schema: JOB_SCHEMA, supervise: false, schedule: false });
  const name = `ranges-${run}`;
  return {
    async create() {
      if ((await database.row(SELECT_SCHEMA)) === undefined) await database.run(`create schema ${JOB_SCHEMA}`);
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
    async giveBack(ids, transaction) {
      for (const id of ids) await boss.fail(name, id, {}, { db: sqlOf(transaction) });
    },
    async remove() {
      // A copy of the ledger may have been put back without its jobs.
      if ((await database.row(SELECT_JOB_TABLE))?.there !== true) return;
      await clear(database, name);
      await boss.deleteQueue(name);
    },
  };
}

/**
 * Makes a queue, and removes it: whether this user may do so is known then.
 * @throws Failure `config` where a right is missing
 */
export async function tryRangeQueue(database: PostgresDatabase): Promise<void> {
  const queue = await openRangeQueue(database, "trial");
  await queue.create();
  await queue.remove();
}

/** One job, whatever the server's clock said when it was given back: clocks are set. */
const NEXT = { batchSize: 1, ignoreStartAfter: true } as const;

const SELECT_SCHEMA: Statement<{ there: boolean }> = {
  sql: `select true as there from pg_namespace where nspname = '${JOB_SCHEMA}'`,
};

const SELECT_JOB_TABLE: Statement<{ there: boolean }> = {
  sql: `select to_regclass('${JOB_SCHEMA}.job') is not null as there`,
};

/** pg-boss deletes jobs by their ids alone, and no queue that still has one. */
async function clear(queries: Queries, name: string): Promise<void> {
  await queries.run(`delete from ${JOB_SCHEMA}.job where name = $1`, name);
}

/** pg-boss takes a failure of its `fetch` for an empty queue. */
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

/** What pg-boss asks goes over the connection that we say. */
function sqlOf(queries: Queries): PgBoss.Db {
  return {
    async executeSql(sql, values: readonly (PostgresValue | undefined)[] = []) {
      // Several statements in one text give no rows.
      const found: readonly object[] | undefined = await queries.rows<object>(
        { sql },
        ...values.map((one) => one ?? null),
      );
      return { rows: [...(found ?? [])] };
    },
  };
}

/** It is there; whoever says this of one that is there needs the right to make schemas all the same. */
const MAKE_SCHEMA = `CREATE SCHEMA IF NOT EXISTS ${JOB_SCHEMA}`;

/** The same for what makes the tables: several statements, of which one may fail when another process makes them, too. */
function sqlInTransactions(database: PostgresDatabase): PgBoss.Db {
  return {
    executeSql: (sql, values) =>
      database.transaction((transaction) => sqlOf(transaction).executeSql(sql.replace(MAKE_SCHEMA, ""), values)),
  };
}
