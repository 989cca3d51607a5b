import { spawnSync } from "node:child_process";

/**
 * Runs test files as a soak and exits with their status.
 * @param {readonly string[]} files
 * @param {Readonly<Record<string, string>>} defaults environment variables to set, unless they are already set
 */
export function runTests(files, defaults) {
  const { status } = spawnSync("npx", ["vitest", "run", "--config", "test/vitest.config.ts", ...files], {
    stdio: "inherit",
    env: { ...defaults, ...process.env },
  });
  process.exit(status ?? 1);
}
