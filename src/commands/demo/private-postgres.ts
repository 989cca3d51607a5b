import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../model/failure.ts";

/** A PostgreSQL server for this machine only. Stops at the latest when the process that started it exits. */
export interface PrivatePostgres {
  /** `postgres://...`, without a password, because the server accepts only connections from this machine. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a server with the locally installed programs. PostgreSQL refuses to run as root. If this process runs as root,
 * the server therefore runs as an unprivileged user, and that user owns the temporary data folder.
 * @throws Failure `usage` if PostgreSQL is not installed, `storage` if the server cannot be started
 */
export async function startPrivatePostgres(): Promise<PrivatePostgres> {
  const programs = findPrograms();
  if (programs === undefined) {
    throw new Failure(
      "usage",
      "PostgreSQL is not installed on this machine: `initdb` is neither in PATH nor in Debian's installation folder",
      {
        hint: "install it (`apt-get install postgresql`), or use an existing database: --ledger postgres://user@host/database",
      },
    );
  }
  const owner = await unprivilegedUser();
  const home = await mkdtemp(path.join(tmpdir(), "migrate-postgres-"));
  if (owner !== undefined) await chown(home, owner.uid, owner.gid);
  const data = path.join(home, "data");
  const options = { ...owner, cwd: home };
  const words = ["-D", data, "-U", "migrate", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await promisify(execFile)(path.join(programs, "initdb"), words, options).catch(notStarted);
  const port = await freePort();
  const settings = [`port = ${port}`, "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''"];
  await writeFile(path.join(data, "postgresql.auto.conf"), `${settings.join("\n")}\n`);
  const server = spawn(path.join(programs, "postgres"), ["-D", data], { ...options, stdio: "ignore", detached: true });
  process.once("exit", () => server.kill("SIGQUIT"));
  await whenListening(port, server);
  return { url: `postgres://migrate@127.0.0.1:${port}/postgres`, stop: () => stopped(server, home) };
}

function findPrograms(): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...onPath, ...versions.map((version) => path.join(DEBIAN, version, "bin"))];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(path.join(folder, name))));
}

/** Debian installs each version in its own folder, which is not in PATH. */
const DEBIAN = "/usr/lib/postgresql";

/** Returns the user that must run the server; undefined if the user of this process can run it. */
async function unprivilegedUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = await readFile("/etc/passwd", "utf8");
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined || gid === undefined)
    throw notStarted(new Error("it cannot run as root, and the system does not have the unprivileged user `nobody`"));
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

const POLL_MS = 50;

async function whenListening(port: number, server: ChildProcess): Promise<void> {
  while (server.exitCode === null) {
    const isListening = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.end(() => resolve(true)));
      socket.once("error", () => resolve(false));
    });
    if (isListening) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw notStarted(new Error(`it ended with exit code ${server.exitCode}`));
}

async function stopped(server: ChildProcess, home: string): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const ended = new Promise((resolve) => void server.once("close", resolve));
    server.kill("SIGINT");
    await ended;
  }
  await rm(home, { recursive: true, force: true });
}

function notStarted(cause: unknown): never {
  const [why = ""] = (cause instanceof Error ? cause.message : String(cause)).trim().split("\n").slice(-1);
  throw new Failure("storage", `PostgreSQL cannot be started here: ${why}`, {
    hint: "use a running database: --ledger postgres://user@host/database",
    cause,
  });
}
