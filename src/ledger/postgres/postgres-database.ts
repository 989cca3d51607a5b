import type { Pool, PoolClient } from "pg";
import type { Failure } from "../../model/failure.ts";
import type { MonotonicClock, Sleeper } from "../../time/clock.ts";
import { systemClock } from "../../time/system-clock.ts";
import { createMutex } from "../../time/mutex.ts";
import { createOutage } from "./outage.ts";
import { postgresFailure, errorKindOf } from "./postgres-failure.ts";
import { ask, type Guard, type Queries, queriesOver, type Transaction, transactionOn } from "./queries.ts";

/**
 * Allows only the latest holder to write to the ledger or to a part of it. Each transaction marks rows of the fence
 * with its own number.
 */
export interface Fence {
  /** Returns a statement without parameters that changes exactly `rows` rows while the fencing token is valid. */
  readonly mark: (transaction: number) => string;
  readonly rows: number;
  /**
   * SQL that selects the number of the last committed transaction as `marked`, and waits for a transaction that is
   * being committed.
   */
  readonly lastMark: string;
  readonly lost: () => Failure;
}

export interface TransactionOptions {
  readonly fence?: Fence | undefined;
  /**
   * Whether the transaction processes whole tables, and therefore has no time limit. By default, it processes a few
   * rows.
   */
  readonly isLong?: boolean;
  /**
   * If false, a server crash may undo the transaction. Set to false only if the data is written again after a crash.
   * Default: true.
   */
  readonly isDurable?: boolean;
  /** Idle time after which the server rolls back the transaction, so that a suspended process does not block others. */
  readonly idleMs?: number | undefined;
}

/**
 * A database on a server. The connection to the server has been tested. Closing the database closes its connections.
 * Queries are repeated after a conflict and, for up to `patienceMs`, while the server cannot be reached. If the reply
 * to the commit of a fenced transaction is lost, the mark of the transaction shows whether the commit succeeded. Every
 * error except a bug is a `Failure` (`storage`, `config`, `ledger_in_use`, `ledger_damaged`).
 */
export interface PostgresDatabase extends Queries {
  /**
   * Performs work in a transaction, which is durable on the server when the promise resolves, unless `isDurable` is
   * false. `work` runs again if the transaction must be repeated.
   */
  readonly transaction: <Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: TransactionOptions,
  ) => Promise<Result>;
  /**
   * Opens a consistent read-only view of the database. The view ends when the view or the database is closed. Queries
   * on the view are not repeated.
   */
  readonly snapshot: () => Promise<Snapshot>;
  readonly close: () => Promise<void>;
}

export interface Snapshot extends Transaction {
  readonly close: () => Promise<void>;
}

export interface DatabaseOptions {
  /** For messages: the address without its password. */
  readonly name: string;
  readonly pool: Pool;
  /** How long to wait for a server that cannot be reached, in milliseconds. Default: 0. */
  readonly patienceMs?: number | undefined;
  readonly notice?: ((message: string) => void) | undefined;
  readonly clock?: MonotonicClock & Sleeper;
}

export function openPostgres(options: DatabaseOptions): PostgresDatabase {
  const { name, pool, clock = systemClock, patienceMs = 0, notice } = options;
  const outage = createOutage({ name, clock, patienceMs, notice });
  const inTurn = createMutex();
  const snapshots: Snapshot[] = [];
  let transactions = 0;

  /** Runs the work, and repeats it after temporary failures. */
  async function persistently<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    for (let conflicts = 0; ;) {
      try {
        const result = await connected(pool, work);
        outage.end();
        return result;
      } catch (error) {
        const trouble = errorKindOf(error);
        if (trouble === "conflict" && conflicts < MAX_CONFLICTS) {
          conflicts += 1;
          await clock.sleep(conflicts * CONFLICT_PAUSE_MS);
        } else if (trouble !== "outage" || !(await outage.wait(error))) throw postgresFailure(error, name);
      }
    }
  }

  const transaction: PostgresDatabase["transaction"] = (work, how = {}) => {
    transactions += 1;
    const number = transactions;
    const once = transactionWork(work, { ...how, name, number });
    // Fenced transactions run one at a time, because they would wait for each other on the server anyway. In
    // addition, if the result of a commit is unknown, its mark must remain the last mark.
    return how.fence === undefined ? persistently(once) : inTurn(() => persistently(once));
  };

  return {
    ...queriesOver(name, persistently),
    // Outside a transaction, the isolation level of the database user would apply.
    run: (sql, ...values) => transaction((one) => one.run(sql, ...values)),
    transaction,
    async snapshot() {
      const snapshot = await openSnapshot(pool, name);
      snapshots.push(snapshot);
      return snapshot;
    },
    async close() {
      for (const snapshot of snapshots) await snapshot.close();
      await pool.end();
    },
  };
}

const MAX_CONFLICTS = 10;
const CONFLICT_PAUSE_MS = 50;

/** Runs the work on one connection. A broken connection is not used again. */
async function connected<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let isBroken = false;
  const onError = (): void => {
    isBroken = true;
  };
  client.on("error", onError);
  try {
    return await work(client);
  } catch (error) {
    isBroken ||= errorKindOf(error) === "outage";
    throw error;
  } finally {
    client.off("error", onError);
    client.release(isBroken || inUnknownState.has(client));
  }
}

/** Connections whose transaction could not be rolled back. */
const inUnknownState = new WeakSet<PoolClient>();

type Work<Result> = (transaction: Transaction) => Promise<Result>;

/**
 * Returns a function that runs a transaction and can be called again after an error. If the reply to the commit of a
 * fenced transaction was lost, a repeated call first checks the mark.
 */
function transactionWork<Result>(
  work: Work<Result>,
  how: TransactionOptions & { readonly name: string; readonly number: number },
): (client: PoolClient) => Promise<Result> {
  const { fence, name, number } = how;
  let committing: { readonly result: Result } | undefined;
  return async (client) => {
    if (committing !== undefined && fence !== undefined) {
      const { rows } = await ask<{ marked: number }>(client, { sql: fence.lastMark, isQuick: true });
      if (rows[0]?.marked === number) return committing.result;
    }
    committing = undefined;
    try {
      await begin(client, how);
      const result = await work(transactionOn(client, name));
      committing = { result };
      const { command } = await ask(client, { sql: "commit", isQuick: true });
      if (command !== "COMMIT") throw new Error("A statement of a transaction failed unnoticed.");
      return result;
    } catch (error) {
      if (errorKindOf(error) !== "outage") {
        committing = undefined;
        await ask(client, { sql: "rollback", isQuick: true }).catch(() => inUnknownState.add(client));
      }
      throw error;
    }
  };
}

/**
 * Begins a transaction, with all statements in one message. If the connection is lost, the server rolls the transaction
 * back.
 */
async function begin(
  client: PoolClient,
  {
    fence,
    isLong = false,
    isDurable = true,
    idleMs = IDLE_MS,
    number,
  }: TransactionOptions & { readonly number: number },
): Promise<void> {
  const settings = [
    "begin isolation level read committed",
    `set local synchronous_commit = ${isDurable ? "on" : "off"}`,
    "set local lock_timeout = '10s'",
    // Without this setting, the server would read null in an array as text.
    "set local array_nulls = on",
    ...timeLimits(idleMs, isLong ? 0 : STATEMENT_MS),
  ];
  const sql = [...settings, ...(fence === undefined ? [] : [fence.mark(number)])].join("; ");
  const results: unknown = await ask(client, { sql, isQuick: true });
  if (fence !== undefined && changedByLast(results) !== fence.rows) throw fence.lost();
}

const IDLE_MS = 60_000;
const STATEMENT_MS = 60_000;

/** Returns statements that override the time limits of the database user until the end of the transaction. */
function timeLimits(idleMs: number, statementMs: number): readonly string[] {
  return [
    `set local idle_in_transaction_session_timeout = '${Math.round(idleMs)}ms'`,
    `set local statement_timeout = '${statementMs}ms'`,
  ];
}

/** A reader blocks no other process, and may process whole tables, so it has no time limits. */
const BEGIN_READING = [
  "begin isolation level repeatable read read only",
  // Just-in-time compilation of a query would take longer than running the query.
  "set local jit = off",
  ...timeLimits(0, 0),
].join("; ");

/**
 * Returns the number of rows that the last statement changed. If a message contains several statements, `pg` returns
 * several results.
 */
function changedByLast(results: unknown): unknown {
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  return typeof last === "object" && last !== null ? Reflect.get(last, "rowCount") : undefined;
}

async function openSnapshot(pool: Pool, name: string): Promise<Snapshot> {
  const guarded: Guard = async (work) => {
    try {
      return await work();
    } catch (error) {
      throw postgresFailure(error, name);
    }
  };
  const client = await guarded(() => pool.connect());
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) client.release(true);
    isOpen = false;
  };
  try {
    await guarded(() => client.query(BEGIN_READING));
  } catch (error) {
    await close();
    throw error;
  }
  return { ...transactionOn(client, name, guarded), close };
}
