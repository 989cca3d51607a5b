import { defineConfig } from "vitest/config";
import { builtThreads } from "./built-threads.ts";
import { scaledTimeout, SLOWNESS } from "./scaled-timeout.ts";

/** Folders whose tests share a process, because their modules keep no state between calls. */
const SHARED_FOLDERS =
  "contract,corrections,differential,drift,job,json,map,model,overlays,pipeline,platform,proof,read,report,rules,store,terminal,text,time,transport,upload,validate";
const SHARED = [`test/{${SHARED_FOLDERS}}/**/*.test.ts`];

export default defineConfig({
  plugins: [builtThreads],
  test: {
    root: new URL("..", import.meta.url).pathname,
    // One more than the processors of most small machines, because many tests wait for a process or a timer.
    maxWorkers: 3,
    globalSetup: ["test/shared-server.ts"],
    setupFiles: ["test/state-home.ts"],
    // The built program must run unchanged.
    server: { deps: { external: [/\/dist\/program\//] } },
    env: { MIGRATE_TEST_SLOWNESS: String(SLOWNESS) },
    // A timeout means that a test hangs: no test depends on the speed of the machine.
    testTimeout: scaledTimeout(120_000),
    hookTimeout: scaledTimeout(60_000),
    expect: { poll: { timeout: scaledTimeout(60_000) } },
    projects: [
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
      { extends: true, test: { name: "isolated", include: ["test/**/*.test.ts"], exclude: SHARED } },
    ],
  },
});
