import { spawnSync } from "node:child_process";

/**
 * Runs one test file as a soak, and ends the process as it ends.
 * @param {string} file
 * @param {Readonly<Record<string, string>>} defaults how much is tried, where the environment does not say
 */
export function runTest(file, defaults) {
  const { status } = spawnSync("npx", ["vitest", "run", "--config", "test/vitest.config.ts", file], {
    stdio: "inherit",
    env: { ...defaults, ...process.env },
  });
  process.exit(status ?? 1);
}
