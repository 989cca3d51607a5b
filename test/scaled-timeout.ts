import { spawnSync } from "node:child_process";

/** Duration of `node -e 0` on the machine for which the limits were chosen. */
const REFERENCE_MS = 60;
const MAX_SLOWNESS = 5;

/**
 * Slowness of this machine as a factor, measured unless MIGRATE_TEST_SLOWNESS is set. `vitest.config.ts` passes the
 * factor to the test processes in this variable, so that it is measured only once per test run.
 */
export const SLOWNESS: number = Number(process.env["MIGRATE_TEST_SLOWNESS"]) || measured();

/** Scales a time limit by the slowness of this machine. */
export function scaledTimeout(milliseconds: number): number {
  return Math.round(milliseconds * SLOWNESS);
}

/** Measures the slowness from the slowest of three starts of Node.js, because the load on the machine varies. */
function measured(): number {
  const times = [1, 2, 3].map(() => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - startedAt;
  });
  return Math.min(MAX_SLOWNESS, Math.max(1, Math.max(...times) / REFERENCE_MS));
}
