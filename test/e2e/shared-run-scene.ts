import { Client } from "pg";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type PostgresCluster, startPostgres, startPrivatePostgres } from "../ledger/postgres/cluster.ts";
import type { CliEnd, CliOptions, RunningCli, TestSandbox } from "./cli.ts";
import {
  type Admin,
  goodAccounts,
  outcomeLines,
  references,
  statusCounts,
  useSandbox,
  type Workplace,
  workplace,
} from "./push-scene.ts";

type PrivateServer = Awaited<ReturnType<typeof startPrivatePostgres>>;

/** A worker as recorded in the ledger. */
interface SeenWorker {
  readonly id: string;
  readonly pid: number;
  readonly state: string;
}

/** A workplace for pushes with a ledger in PostgreSQL, and functions that query the ledger. */
export interface SharedPush extends Workplace {
  readonly ledger: string;
  /** Starts `migrate push --workers n` with short leases and outcome lines. */
  readonly share: (workers: number, flags?: readonly string[], options?: CliOptions) => RunningCli;
  readonly workers: () => Promise<readonly SeenWorker[]>;
  /** Resolves when this many workers are active and each of them holds a range. */
  readonly whenWorking: (count: number) => Promise<readonly SeenWorker[]>;
  /** Returns the number of records that are accepted, rejected or ambiguous. */
  readonly settled: () => Promise<number>;
  readonly whenSettled: (count: number) => Promise<void>;
  readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>;
}

/**
 * Provides the server of the test run, or a private server for test files that crash the server or inspect all its
 * databases.
 */
export function useServer(): { readonly server: () => PostgresCluster };
export function useServer(kind: "private"): { readonly server: () => PrivateServer };
export function useServer(kind?: "private"): { readonly server: () => PostgresCluster } {
  let started: PostgresCluster | undefined;
  beforeAll(async () => {
    started = await (kind === "private" ? startPrivatePostgres() : startPostgres());
  });
  afterAll(() => started?.stop());
  return {
    server() {
      if (started === undefined) throw new Error("the server runs only while tests do");
      return started;
    },
  };
}

/** A reply delay that is long enough for every worker to join before the other workers have sent every record. */
export const WAITING_MS = 1_500;
/** The short reply delay that a test sets once the run has reached the state that the test needs. */
export const QUICK_MS = 5;
/** The default reply delay. */
export const LATENCY_MS = 500;

export const FAST_PACE: readonly string[] = ["--concurrency", "16"];

/**
 * Provides a database server and a sandbox for shared runs. The sandbox is reset before each test. Its replies are
 * delayed by `latencyMs`.
 */
export function useSharedRuns(latencyMs: number = LATENCY_MS): {
  readonly server: () => PostgresCluster;
  readonly admin: Admin;
  readonly inScene: (records: number) => Promise<SharedPush>;
  readonly answerAfter: (milliseconds: number) => Promise<void>;
} {
  const { server } = useServer();
  const { sandbox, admin } = useSandbox(["--latency", String(latencyMs)]);
  return {
    server,
    admin,
    inScene: (records) => sharedPush(records, sandbox, server()),
    answerAfter: (milliseconds) => admin.faults({ latencyMs: milliseconds }),
  };
}

let databases = 0;

/** Creates a workplace with this many valid accounts, and a new database for its ledger. */
export async function sharedPush(
  records: number,
  sandbox: Pick<TestSandbox, "env">,
  server: Pick<PostgresCluster, "createDatabase" | "query">,
  through: (url: string) => string = (url) => url,
): Promise<SharedPush> {
  databases += 1;
  const name = `shared_${process.pid}_${databases}`;
  const database = await server.createDatabase(name);
  const ledger = through(database);
  const place = workplace({ accounts: goodAccounts(records) }, sandbox);
  const query: Query = (sql) => server.query(sql, name);
  let runningPushes = 0;
  return {
    ...place,
    ledger,
    query,
    share(count, flags = [], options = {}) {
      const push = place.startPush(
        ["--ledger", ledger, "--workers", String(count), "--lease", "3s", ...flags],
        options,
      );
      runningPushes += 1;
      void push.ended.finally(() => (runningPushes -= 1));
      // If the test fails, its push must not send to the platform of the next test.
      onTestFinished(() => push.kill("SIGKILL"));
      return push;
    },
    workers: () => workersIn(query),
    async whenWorking(count) {
      let working: readonly SeenWorker[] = [];
      await until(database, `${count} workers`, async (ask) => {
        const isRunning = runningPushes > 0;
        working = (await workersIn(ask)).filter(({ state }) => state === "holding");
        if (!isRunning && working.length < count) throw new Error(`the push ended before ${count} workers held ranges`);
        return working.length >= count;
      });
      return working;
    },
    settled: () => settledIn(query),
    whenSettled: (count) => until(database, `${count} settled records`, async (ask) => (await settledIn(ask)) >= count),
  };
}

type Query = SharedPush["query"];

async function isThere(query: Query): Promise<boolean> {
  return (await query("select to_regclass('migrate.shared_runs') is not null as there"))[0]?.["there"] === true;
}

async function workersIn(query: Query): Promise<readonly SeenWorker[]> {
  if (!(await isThere(query))) return [];
  const rows = await query(
    `select id, pid, state, exists (select from migrate.ranges where holder = workers.id and ranges.state = 'taken') as holds
     from migrate.workers order by rank`,
  );
  return rows.map((row) => ({ id: String(row["id"]), pid: Number(row["pid"]), state: stateOf(row) }));
}

async function settledIn(query: Query): Promise<number> {
  if (!(await isThere(query))) return 0;
  const sql = "select count(*) as count from migrate.items where status in ('accepted', 'rejected', 'ambiguous')";
  return Number((await query(sql))[0]?.["count"] ?? 0);
}

function stateOf({ state, holds }: Record<string, unknown>): string {
  return state === "working" && holds === true ? "holding" : String(state);
}

const PATIENCE_MS = 120_000;

/** Repeats a query until its result is true. Uses one connection, because connecting takes longer than a query. */
async function until(database: string, what: string, isSo: (query: Query) => Promise<boolean>): Promise<void> {
  const client = new Client({ connectionString: database });
  // Ignores the event of a lost connection, because the next query fails.
  client.on("error", () => undefined);
  await client.connect();
  const query: Query = async (sql) => (await client.query<Record<string, unknown>>(sql)).rows;
  const givenUpAt = Date.now() + PATIENCE_MS;
  try {
    while (!(await isSo(query))) {
      if (Date.now() > givenUpAt) throw new Error(`timed out waiting for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await client.end();
  }
}

/** Returns an error for every record that was not created exactly once, or has an unexpected status. */
export async function deliveryErrors(
  records: number,
  { stdout }: Pick<CliEnd, "stdout">,
  admin: Admin,
  allowed: { readonly ambiguous: boolean } = { ambiguous: false },
): Promise<readonly string[]> {
  const lines = outcomeLines(stdout);
  const counts = statusCounts(lines);
  const held = await admin.accounts();
  const times = new Map<string, number>();
  for (const { key } of held) times.set(key, (times.get(key) ?? 0) + 1);
  const accepted = new Set(lines.filter(({ status }) => status === "accepted").map(({ key }) => key));
  const { ambiguous = 0 } = counts;
  return [
    ...(lines.length === records ? [] : [`${lines.length} outcomes for ${records} records`]),
    ...(ambiguous > 0 && !allowed.ambiguous ? [`${ambiguous} are ambiguous`] : []),
    ...Object.entries(counts).flatMap(([status, count]) =>
      status === "accepted" || status === "ambiguous" ? [] : [`${count} are ${status}`],
    ),
    ...[...times].flatMap(([key, count]) => (count === 1 ? [] : [`${key} was created ${count} times`])),
    ...references(records).flatMap((key) =>
      accepted.has(key) && !times.has(key) ? [`${key} is accepted, and not on the platform`] : [],
    ),
  ];
}
