import { defineConfig } from "vitest/config";
import { builtThreads } from "./built-threads.ts";
import { fastFolder } from "./fast-folder.ts";
import { OPTIMISE_LATE } from "./node-flags.ts";
import { filesLeftOut } from "./rotating-files.ts";
import { scaledTimeout, SLOWNESS } from "./scaled-timeout.ts";

/**
 * Tests that replace modules or change the state of their process. Each of these files has its own process. The other
 * files share processes.
 */
const ISOLATED = [
  "test/{cli/process,simulation}/**/*.test.ts",
  "test/{files/replace-order,ledger/journal/{journal-order,full-disk},runtime/{temporary-folder,system-limits}}.test.ts",
];

/** Tests create a lot of short-lived garbage, and the workers already occupy every processor. */
const COLLECT_RARELY = ["--min-semi-space-size=32", "--max-semi-space-size=32", "--single-threaded-gc"];

/** The words after `vitest run --config FILE`. */
const leftOut = filesLeftOut(process.argv.slice(5));

// Set in this process, because this process starts the PostgreSQL server of the run.
process.env["TMPDIR"] = fastFolder();

export default defineConfig({
  plugins: [builtThreads],
  test: {
    root: new URL("..", import.meta.url).pathname,
    // Twice the number of processors of most small machines, because many tests wait for a process or a timer.
    maxWorkers: 4,
    setupFiles: ["test/state-home.ts"],
    // Vitest must not transform the built program.
    server: { deps: { external: [/\/dist\/program\//] } },
    env: { MIGRATE_TEST_SLOWNESS: String(SLOWNESS) },
    // A timeout means that a test hangs: no test depends on the speed of the machine.
    testTimeout: scaledTimeout(120_000),
    hookTimeout: scaledTimeout(60_000),
    expect: { poll: { timeout: scaledTimeout(60_000) } },
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: [...ISOLATED, ...leftOut],
          isolate: false,
          execArgv: [...OPTIMISE_LATE, ...COLLECT_RARELY],
          globalSetup: ["test/shared-server.ts", "test/rotating-files.ts"],
        },
      },
      { extends: true, test: { name: "isolated", include: ISOLATED, execArgv: OPTIMISE_LATE } },
    ],
  },
});
