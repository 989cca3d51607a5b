import { spawn, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { createTestFolder } from "../../temporary-folder.ts";
import { freePort, unprivilegedUser } from "./cluster.ts";

const PROGRAM = ["pgbouncer", "/usr/sbin/pgbouncer"].find(
  (program) => spawnSync(program, ["--version"]).error === undefined,
);

export const PGBOUNCER_IS_HERE: boolean = PROGRAM !== undefined;

/** Starts a connection pooler for the server on this port, with so few connections that clients must share them. */
export async function startPgBouncer(
  serverPort: number,
  mode: "transaction" | "statement" = "transaction",
): Promise<{ readonly port: number; readonly stop: () => void }> {
  if (PROGRAM === undefined) throw new Error("PgBouncer is not installed");
  const { folder, remove } = createTestFolder();
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = path.join(folder, "pgbouncer.ini");
  writeFileSync(file, settings(port, serverPort, mode));
  const pooler = spawn(PROGRAM, [file], { ...unprivilegedUser(), cwd: folder, stdio: "ignore" });
  process.once("exit", () => pooler.kill("SIGKILL"));
  while (!(await isListening(port))) {
    if (pooler.exitCode !== null) throw new Error(`PgBouncer has ended with ${pooler.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    stop() {
      pooler.kill("SIGKILL");
      remove();
    },
  };
}

function settings(port: number, serverPort: number, mode: string): string {
  return `[databases]
* = host=127.0.0.1 port=${serverPort} user=tester
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 3
`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}
