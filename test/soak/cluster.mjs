// Injects 300 faults into four workers of the real command, the sandbox and a real PostgreSQL, in real time. Takes
// about 20 minutes.
//   node test/soak/cluster.mjs [--faults 300] [--only SIGKILL] [--seed <n>]
// Processes are killed (SIGKILL) and stopped beyond their lease (SIGSTOP, SIGCONT); connections to the database and to
// the platform are reset or silenced; sessions are ended by the server (pg_terminate_backend); the server crashes (as
// by `pg_ctl stop -m immediate`) and restarts; the planning process is killed and the run resumed. Every second push
// goes to a platform that does not detect duplicates. Records must not be lost, created twice or left unreported.
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
