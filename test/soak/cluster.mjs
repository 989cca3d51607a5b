// Injects 300 faults into pushes of four workers (the real command) to the sandbox, with a ledger in a real PostgreSQL.
// Runs in real time and takes about 20 minutes.
//   node test/soak/cluster.mjs [--faults 300] [--only SIGKILL] [--seed <n>]
// Faults: a worker is killed (SIGKILL) or stopped beyond its lease (SIGSTOP, SIGCONT); connections to the database or
// the platform are reset or silenced; the server terminates the sessions (pg_terminate_backend), or crashes (as with
// `pg_ctl stop -m immediate`) and restarts; the planner is killed and the run is resumed. Every second push goes to a
// platform that does not detect duplicates. Records must not be lost, created twice or left unreported.
// Requires `npm run build` and the PostgreSQL binaries.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "300" },
    only: { type: "string", default: "" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const root = path.join(import.meta.dirname, "../..");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const words = [vitest, "run", "--config", "test/soak/vitest.config.ts", "cluster.soak"];
const env = { ...process.env, SOAK_FAULTS: values.faults, SOAK_SEED: values.seed, SOAK_ONLY: values.only };
process.exit(spawnSync(process.execPath, words, { cwd: root, stdio: "inherit", env }).status ?? 1);
