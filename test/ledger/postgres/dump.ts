import { spawnSync } from "node:child_process";
import path from "node:path";
import { temporaryFolder } from "../../temporary-folder.ts";
import type { PostgresCluster } from "./cluster.ts";

/** Whether databases can be dumped and restored on this machine. */
export const DUMP_IS_HERE: boolean = ["pg_dump", "psql"].every(
  (program) => spawnSync(program, ["--version"]).status === 0,
);

/** Dumps a database. The returned function replaces the database with the dump. */
export function dumpDatabase(
  { port, query }: Pick<PostgresCluster, "port" | "query">,
  database: string,
): () => Promise<void> {
  const file = path.join(temporaryFolder(), "dump.sql");
  const place = ["-h", "127.0.0.1", "-p", String(port), "-U", "tester"];
  run("pg_dump", [...place, "-f", file, database]);
  return async () => {
    await query(`drop database "${database}" with (force)`);
    await query(`create database "${database}"`);
    run("psql", [...place, "-q", "-v", "ON_ERROR_STOP=1", "-f", file, database]);
  };
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}
