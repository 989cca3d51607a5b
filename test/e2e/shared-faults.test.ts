import { describe, expect, test } from "vitest";
import { startChaosProxy } from "../chaos-proxy.ts";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { seededDice } from "../seeded-dice.ts";
import { type FaultKind, injectFault, type FaultTargets } from "../soak/cluster-faults.ts";
import { isRunning, needsResume, workingPids } from "../soak/cluster-push.ts";
import { useSandbox } from "./push-scene.ts";
import { sharedPush, useServer, deliveryErrors } from "./shared-run-scene.ts";

const FAULTS: readonly FaultKind[] = [
  "SIGKILL to a worker",
  "connections to the database reset",
  "connections to the platform reset",
  "pg_terminate_backend",
  "SIGSTOP beyond the lease, SIGCONT",
  "server crashed and restarted",
  "connections to the platform silenced",
  "SIGKILL to a worker",
  "connections to the database silenced",
  "SIGKILL to the planner",
];
const RECORDS = 300;
/** The number of records that get an outcome between two faults. */
const APART = 8;

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`a run of several workers ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { server } = useServer("private");
  const { sandbox, admin } = useSandbox();

  test("loses no record and creates none twice under ten successive faults", async ({ onTestFinished }) => {
    const database = await startChaosProxy(new URL(server().url));
    const platform = await startChaosProxy(new URL(sandbox.ready.baseUrl));
    onTestFinished(async () => {
      await database.close();
      await platform.close();
    });
    const through = (url: string): string => url.replace(`:${server().port}/`, `:${database.baseUrl.port}/`);
    const env = { ...sandbox.env, MIGRATE_BASE_URL: platform.baseUrl.href };
    const scene = await sharedPush(RECORDS, { env }, server(), through);
    // Slow enough that unsent records remain at the last fault.
    await admin.faults({ latencyMs: [500, 500] });
    const push = scene.share(3, ["--concurrency", "12"]);
    const targets: FaultTargets = {
      async workers() {
        let found: readonly number[] = [];
        const look = async (): Promise<number> => {
          found = (await workingPids(scene)).filter(isAlive);
          return found.length;
        };
        await expect.poll(look).toBeGreaterThan(0);
        return found;
      },
      planner: () => (isRunning(push) ? push.pid : undefined),
      database,
      platform,
      server: server(),
      leaseMs: 3_000,
    };
    const dice = seededDice(10);
    for (const [index, kind] of FAULTS.entries()) {
      await scene.whenSettled(APART * (index + 1));
      expect([kind, await injectFault(kind, targets, dice)]).toEqual([kind, true]);
    }
    await admin.faults({});
    let end = await push.ended;
    while (needsResume(end)) end = await scene.migrate(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
    expect(await deliveryErrors(RECORDS, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
    expect((await scene.migrate(["ledger", "check", "--ledger", scene.ledger])).code).toBe(0);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
