// 1,000 SIGKILLs over a push of 2,000 records at concurrency 16, resumed until done; half an hour. KILLS=100 shortens it.
import { spawnSync } from "node:child_process";

const { status } = spawnSync(
  "npx",
  ["vitest", "run", "--config", "test/vitest.config.ts", "test/e2e/kill-push.test.ts"],
  {
    stdio: "inherit",
    env: { KILLS: "1000", ...process.env },
  },
);
process.exit(status ?? 1);
