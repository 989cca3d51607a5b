import type PgBoss from "pg-boss";
import type { PostgresDatabase } from "../postgres-database.ts";
import type { PostgresValue, Queries } from "../queries.ts";

/** The schema that pg-boss keeps its jobs in. */
const JOB_SCHEMA = "migrate_jobs";
/** pg-boss allows less than a day. The lease of the range is what counts; this catches what it would miss. */
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
  readonly add: (jobs: readonly RangeJob[], transaction: Queries) => Promise<void>;
  /** The next job; undefined when there is none just now. */
  readonly take: (transaction: Queries) => Promise<RangeJob | undefined>;
  readonly complete: (id: string, transaction: Queries) => Promise<void>;
  /** Gives jobs to whoever asks next. */
  readonly giveBack: (ids: readonly string[], transaction: Queries) => Promise<void>;
  /** @param ids of all its jobs, whatever became of them */
  readonly remove: (ids: readonly string[]) => Promise<void>;
}

/** Loads pg-boss, which keeps no connections of its own here: it works in our transactions. */
export async function openRangeQueue(database: PostgresDatabase, run: string): Promise<RangeQueue> {
  const { default: Boss } = await import("pg-boss");
  const boss = new Boss({ db: sqlInTransactions(database), schema: JOB_SCHEMA, supervise: false, schedule: false });
  const name = `ranges-${run}`;
  return {
    async create() {
      await boss.start();
      await boss.createQueue(name, { name, retryLimit: RETRIES, retryDelay: 0, expireInSeconds: EXPIRY_SECONDS });
    },
    async add(jobs, transaction) {
      const inserts = jobs.map(({ id, first }, index) => ({ id, name, data: { first }, priority: -index }));
      await boss.insert(inserts, { db: sqlOf(transaction) });
    },
    async take(transaction) {
      const [job] = await boss.fetch<{ readonly first: number }>(name, { batchSize: 1, db: sqlOf(transaction) });
      return job && { id: job.id, first: job.data.first };
    },
    async complete(id, transaction) {
      await boss.complete(name, id, {}, { db: sqlOf(transaction) });
    },
    async giveBack(ids, transaction) {
      for (const id of ids) await boss.fail(name, id, {}, { db: sqlOf(transaction) });
    },
    async remove(ids) {
      if (ids.length > 0) await boss.deleteJob(name, [...ids]);
      await boss.deleteQueue(name);
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

/** The same for what makes the schema: several statements, of which one may fail when another process makes it, too. */
function sqlInTransactions(database: PostgresDatabase): PgBoss.Db {
  return {
    executeSql: (sql, values) => database.transaction((transaction) => sqlOf(transaction).executeSql(sql, values)),
  };
}
