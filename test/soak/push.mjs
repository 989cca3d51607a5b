// 200,000 records pushed by the real command to a chaos server for at least 20 minutes, killed and resumed on the way.
//   node test/soak/push.mjs [--records 200000] [--minutes 20] [--kill-every 45] [--seed <n>]
// The server lets through no more a second than makes the run that long, and spoils some 6 % of the requests at every
// phase. Server, ledger and report are held against each other at the end, and the memory of the longest process is said,
// at its start and at its end: half of the records are sent by processes that nobody kills. Wants `npm run build`.
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
