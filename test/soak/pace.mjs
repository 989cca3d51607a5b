// Pushes with the real command to servers with undocumented limits of 20, 50 and 200 requests per second, in real time.
//   node test/soak/pace.mjs [--seconds 40]
// After ten seconds, the rate must be within 15% of the limit, and fewer than 5% of the replies may be 429.
// Requires `npm run build`.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "40" } } });
const root = path.join(import.meta.dirname, "../..");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const words = [vitest, "run", "--config", "test/soak/vitest.config.ts", "pace.soak"];
const env = { ...process.env, SOAK_SECONDS: values.seconds };
process.exit(spawnSync(process.execPath, words, { cwd: root, stdio: "inherit", env }).status ?? 1);
