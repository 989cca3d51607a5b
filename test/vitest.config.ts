import { defineConfig } from "vitest/config";
import { patience, SLOWNESS } from "./patience.ts";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    // One more than most small machines have processors: many tests wait for a process or a clock.
    maxWorkers: 3,
    setupFiles: ["test/state-home.ts"],
    env: { MIGRATE_TEST_SLOWNESS: String(SLOWNESS) },
    // Only what hangs is to fail: no test depends on the machine's speed.
    testTimeout: patience(300_000),
    hookTimeout: patience(120_000),
    expect: { poll: { timeout: patience(60_000) } },
  },
});
