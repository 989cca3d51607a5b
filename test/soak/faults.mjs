// A push is killed, or its disk fails, at every single moment that there is; ten minutes. FAULT_STEP=3 tries every third.
import { spawnSync } from "node:child_process";

const { status } = spawnSync(
  "npx",
  ["vitest", "run", "--config", "test/vitest.config.ts", "test/e2e/fault-walk.test.ts"],
  {
    stdio: "inherit",
    env: { FAULT_STEP: "1", ...process.env },
  },
);
process.exit(status ?? 1);
