import { defineConfig } from "vitest/config";
import { builtThreads } from "./built-threads.ts";
import { patience, SLOWNESS } from "./patience.ts";

/** Tests of modules that keep nothing from one call to the next: they share a process, and load each module once. */
const SHARED_FOLDERS =
  "contract,corrections,differential,drift,job,json,map,model,overlays,pipeline,platform,proof,read,report,rules,store,terminal,text,time,transport,upload,validate";
const SHARED = [`test/{${SHARED_FOLDERS}}/**/*.test.ts`];

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
    testTimeout: patience(120_000),
    hookTimeout: patience(60_000),
    expect: { poll: { timeout: patience(60_000) } },
    projects: [
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
      { extends: true, test: { name: "isolated", include: ["test/**/*.test.ts"], exclude: SHARED } },
    ],
  },
});
