import { defineConfig } from "vitest/config";
import { patience, SLOWNESS } from "./patience.ts";

/** A thread cannot start from TypeScript: it starts from the built module. */
const builtThreads = {
  name: "built-threads",
  transform: (code: string, id: string): string | undefined => {
    const [, folder] = /\/src\/(.*)\/[^/]+\.ts$/.exec(id) ?? [];
    if (folder === undefined || !code.includes("-worker.js")) return undefined;
    const built = new URL(`../dist/${folder}/`, import.meta.url).href;
    return code.replaceAll(/new URL\("\.\/([a-z-]+-worker\.js)", import\.meta\.url\)/g, `new URL("${built}$1")`);
  },
};

/** Tests of modules that keep nothing from one call to the next share a process, and load each module once. */
const PURE = ["contract", "json", "map", "overlays", "rules", "terminal", "text", "time", "validate"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

export default defineConfig({
  plugins: [builtThreads],
  test: {
    root: new URL("..", import.meta.url).pathname,
    // One more than most small machines have processors: many tests wait for a process or a clock.
    maxWorkers: 3,
    globalSetup: ["test/shared-server.ts"],
    setupFiles: ["test/state-home.ts"],
    // The built program runs as users run it.
    server: { deps: { external: [/\/dist\/program\//] } },
    env: { MIGRATE_TEST_SLOWNESS: String(SLOWNESS) },
    // Only what hangs is to fail: no test depends on the machine's speed.
    testTimeout: patience(300_000),
    hookTimeout: patience(120_000),
    expect: { poll: { timeout: patience(60_000) } },
    projects: [
      { extends: true, test: { name: "pure", include: PURE, isolate: false } },
      { extends: true, test: { name: "whole", include: ["test/**/*.test.ts"], exclude: PURE } },
    ],
  },
});
