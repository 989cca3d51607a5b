import { spawnSync } from "node:child_process";

/**
 * Runs test files as a soak, and ends the process as they end.
 * @param {readonly string[]} files
 * @param {Readonly<Record<string, string>>} defaults how much is tried, where the environment does not say
 */
export function runTests(files, defaults) {
  const { status } = spawnSync("npx", ["vitest", "run", "--config", "test/vitest.config.ts", ...files], {
    stdio: "inherit",
    env: { ...defaults, ...process.env },
  });
  process.exit(status ?? 1);
}
