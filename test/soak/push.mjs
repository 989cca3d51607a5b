// Pushes 200,000 records with the real command to a chaos server for about 20 minutes, with kills and resumes.
//   node test/soak/push.mjs [--records 200000] [--minutes 20] [--kill-every 45] [--seed <n>]
// The server throttles requests to reach this duration, and injects faults into 6% of the other requests: before,
// during or after processing. At the end, compares server, ledger and report, and prints the memory of the
// longest-running process at its start and end. No process is killed during the second half of the records. Requires
// `npm run build`.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "200000" },
    minutes: { type: "string", default: "20" },
    "kill-every": { type: "string", default: "45" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const root = path.join(import.meta.dirname, "../..");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "--config", "test/soak/vitest.config.ts", "push.soak"], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    SOAK_RECORDS: values.records,
    SOAK_MINUTES: values.minutes,
    SOAK_KILL_SECONDS: values["kill-every"],
    SOAK_SEED: values.seed,
  },
});
process.exit(status ?? 1);
