import { spawnSync } from "node:child_process";

/** What `node -e 0` takes on the machine on which the limits were found to be plenty. */
const REFERENCE_MS = 60;
const MOST = 5;

/** How many times slower this machine is just now; at least 1. Measured once a run of the tests, or given. */
export const SLOWNESS: number = Number(process.env["MIGRATE_TEST_SLOWNESS"]) || measured();

/** A limit after which something is taken to hang, on a machine as slow as this one. */
export function patience(milliseconds: number): number {
  return Math.round(milliseconds * SLOWNESS);
}

/** Of three starts the slowest: what else the machine does comes and goes. */
function measured(): number {
  const times = [1, 2, 3].map(() => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    return performance.now() - startedAt;
  });
  return Math.min(MOST, Math.max(1, Math.max(...times) / REFERENCE_MS));
}
