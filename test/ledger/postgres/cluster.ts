import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { Client } from "pg";
import { serverCertificate } from "../../../src/sandbox/certificate.ts";
import { createTestFolder } from "../../temporary-folder.ts";

/** A PostgreSQL server for tests. */
export interface PostgresCluster {
  /** `postgres://...` without a password. */
  readonly url: string;
  readonly port: number;
  /** PEM file of the authority that signed the server's certificate. Absent for an external server. */
  readonly caFile?: string;
  /**
   * Creates an empty database, which replaces any database with this name. Returns its URL. Each test file uses its own
   * names, because files share a server.
   */
  readonly createDatabase: (name: string) => Promise<string>;
  /** Executes one or more statements and returns the rows of the last statement. */
  readonly query: (sql: string, database?: string) => Promise<readonly Record<string, unknown>[]>;
  /** Stops the server as in a crash, without a checkpoint. Absent for an external server. */
  readonly crash?: () => Promise<void>;
  /** Starts the server again after a crash. */
  readonly start?: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const NAMED_SERVER = process.env["MIGRATE_TEST_POSTGRES"];

/** The folder of the PostgreSQL programs, which Debian does not add to PATH. */
const PROGRAMS = folderOf("initdb", "postgres");
const COPYING = folderOf("pg_basebackup");

/** Whether PostgreSQL is available: installed on this machine, or at the URL in `MIGRATE_TEST_POSTGRES`. */
export const POSTGRES_IS_HERE: boolean = NAMED_SERVER !== undefined || PROGRAMS !== undefined;

/** A note for the titles of tests that need PostgreSQL. */
export const SKIPPED_WITHOUT_POSTGRES = "(skipped if PostgreSQL is not installed and MIGRATE_TEST_POSTGRES is not set)";

/** The environment variable that contains the address of the test run's server (`shared-server.ts`). */
export const RUN_SERVER = "MIGRATE_TEST_RUN_SERVER";

/**
 * Returns a server whose `tester` user needs no password: the server in `MIGRATE_TEST_POSTGRES`, the server of the test
 * run, or else a new private server. Several test files use the first two at the same time, each with its own
 * databases, so `stop` stops only a private server.
 */
export async function startPostgres(): Promise<PostgresCluster> {
  const address = NAMED_SERVER ?? process.env[RUN_SERVER];
  return address === undefined ? startPrivatePostgres() : namedServer(address);
}

/** Whether a private server can be started, for tests that crash it or need its certificate. */
export const PRIVATE_POSTGRES_IS_HERE: boolean = PROGRAMS !== undefined;

/**
 * Starts a server with TLS in a temporary folder. Its `tester` user needs no password; its `guarded` user has the
 * password `s3cret`. The caller stops the server.
 * @param settings lines of its configuration
 */
export async function startPrivatePostgres(
  settings: readonly string[] = [],
): Promise<PostgresCluster & Required<Pick<PostgresCluster, "caFile" | "crash" | "start">>> {
  if (PROGRAMS === undefined) throw new Error("PostgreSQL is not installed");
  const programs = PROGRAMS;
  const { folder, remove } = createTestFolder();
  const user = unprivilegedUser();
  chmodSync(folder, 0o755);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, "data");
  const { caPath } = await serverCertificate(folder);
  const run = (program: string, words: readonly string[]): void => {
    const done = spawnSync(path.join(programs, program), words, { ...user, cwd: folder, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`${program} failed: ${done.stderr}`);
  };
  run("initdb", [
    "-D",
    data,
    "-U",
    "tester",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ]);
  const port = await freePort();
  for (const name of ["server.pem", "server-key.pem"]) if (user) chownSync(path.join(folder, name), user.uid, user.gid);
  writeFileSync(path.join(data, "postgresql.auto.conf"), serverSettings(port, folder, settings));
  writeFileSync(path.join(data, "pg_hba.conf"), ACCESS);
  const url = `postgres://tester@127.0.0.1:${port}`;
  const { start, end } = serverProcess(programs, data, `${url}/postgres`);
  await start();
  const client = clientOf(url);
  await client.query("create role guarded login password 's3cret'");
  return {
    port,
    caFile: caPath,
    ...client,
    // `pg_ctl stop -m immediate` sends SIGQUIT.
    crash: () => end("SIGQUIT"),
    start,
    async stop() {
      await end("SIGINT");
      remove();
    },
  };
}

interface ServerProcess {
  /** Resolves when the server accepts connections. */
  readonly start: () => Promise<void>;
  readonly end: (signal: NodeJS.Signals) => Promise<void>;
}

function serverProcess(programs: string, data: string, url: string): ServerProcess {
  let server: ChildProcess | undefined;
  return {
    async start() {
      const own = { ...unprivilegedUser(), cwd: path.dirname(data), stdio: "ignore" } as const;
      const started = spawn(path.join(programs, "postgres"), ["-D", data], own);
      server = started;
      // Stops the server when this process exits.
      const kill = (): void => void started.kill("SIGQUIT");
      process.once("exit", kill);
      started.once("close", () => process.off("exit", kill));
      await whenReady(url, started);
    },
    async end(signal) {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const ended = new Promise((resolve) => void server?.once("close", resolve));
      server.kill(signal);
      await ended;
    },
  };
}

/** Whether a replica of a server can be started. */
export const STANDBY_IS_HERE: boolean = PROGRAMS !== undefined && COPYING !== undefined;

/**
 * Starts a hot standby of a private server. The standby can be read while it replicates the server. The caller stops
 * the standby.
 */
export async function startStandby(
  primary: Pick<PostgresCluster, "port">,
): Promise<Omit<PostgresCluster, "createDatabase">> {
  if (PROGRAMS === undefined || COPYING === undefined) throw new Error("PostgreSQL is not installed");
  const { folder, remove } = createTestFolder();
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, "data");
  const from = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "tester"];
  const words = ["-D", data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync", ...from];
  const done = spawnSync(path.join(COPYING, "pg_basebackup"), words, { ...user, cwd: folder, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`pg_basebackup failed: ${done.stderr}`);
  const port = await freePort();
  appendFileSync(path.join(data, "postgresql.auto.conf"), `port = ${port}\n`);
  const url = `postgres://tester@127.0.0.1:${port}`;
  const { start, end } = serverProcess(PROGRAMS, data, `${url}/postgres`);
  await start();
  return {
    port,
    url: `${url}/postgres`,
    query: clientOf(url).query,
    async stop() {
      await end("SIGINT");
      remove();
    },
  };
}

const ACCESS = `
host  all         guarded 127.0.0.1/32 scram-sha-256
local all         all                  trust
host  all         all     127.0.0.1/32 trust
host  replication tester  127.0.0.1/32 trust
`;

function serverSettings(port: number, folder: string, settings: readonly string[]): string {
  return [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    "shared_buffers = '32MB'",
    "max_connections = 200",
    "ssl = on",
    `ssl_cert_file = '${folder}/server.pem'`,
    `ssl_key_file = '${folder}/server-key.pem'`,
    ...settings,
    "",
  ].join("\n");
}

async function namedServer(address: string): Promise<PostgresCluster> {
  const url = address.replace(/\/[^/]*$/, (end) => (end.startsWith("//") ? end : ""));
  return { port: Number(new URL(url).port || 5432), ...clientOf(url), stop: async () => undefined };
}

function clientOf(server: string): Pick<PostgresCluster, "url" | "createDatabase" | "query"> {
  const query = async (sql: string, database = "postgres"): Promise<readonly Record<string, unknown>[]> => {
    const client = new Client({ connectionString: `${server}/${database}` });
    await client.connect();
    try {
      const result: { readonly rows: readonly Record<string, unknown>[] } = await client.query(sql);
      return result.rows;
    } finally {
      await client.end();
    }
  };
  return {
    url: `${server}/postgres`,
    async createDatabase(name) {
      await query(`drop database if exists "${name}"`);
      await query(`create database "${name}"`);
      return `${server}/${name}`;
    },
    query,
  };
}

async function whenReady(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the PostgreSQL server ended with ${server.exitCode}`);
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    const isReady = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns the `nobody` user if this process is root, because PostgreSQL and PgBouncer refuse to run as root. */
export function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] = /^nobody:(.*)$/m.exec(readFileSync("/etc/passwd", "utf8"))?.[0].split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

function folderOf(...programs: readonly string[]): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(":").filter((folder) => folder !== "");
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...onPath, ...versions.map((version) => path.join(debian, version, "bin"))];
  return folders.find((folder) => programs.every((name) => existsSync(path.join(folder, name))));
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("no port is free");
  return address.port;
}
