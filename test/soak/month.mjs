// A month of daily extracts with changes, a new version of the contract, an outage, a second ledger and exclusions. At
// the end, `status`, `open`, `compare` and the proof must agree with the accounts on the platform. Also checks the
// output in docs/migration.md.
//   node test/soak/month.mjs [--accounts 5000] [--months 1]
// Requires `npm run build`.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { accounts: { type: "string", default: "5000" }, months: { type: "string", default: "1" } },
});
const root = path.join(import.meta.dirname, "../..");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const words = [vitest, "run", "--config", "test/soak/vitest.config.ts", "month.soak"];
const env = { ...process.env, SOAK_ACCOUNTS: values.accounts, SOAK_MONTHS: values.months };
process.exit(spawnSync(process.execPath, words, { cwd: root, stdio: "inherit", env }).status ?? 1);
