import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf } from "./push-scene.ts";
import { sharedPush, useServer, deliveryErrors } from "./shared-run-scene.ts";

/** The number of the request at which the supplier is paused. */
const PAUSE_AT = 90;

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`several workers on one platform ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { server } = useServer();
  let sandbox: TestSandbox;
  let admin: Admin;
  beforeAll(async () => {
    sandbox = await startTestSandbox({ flags: ["--latency", "30"] });
    admin = adminOf(sandbox);
  });
  afterAll(() => sandbox.stop());

  test("with --wait-for-supplier, only one worker probes a closed supplier, and then all workers continue", async () => {
    const scene = await sharedPush(240, sandbox, server());
    await admin.faults({ pauseAt: PAUSE_AT });
    const push = scene.share(3, ["--wait-for-supplier", "--concurrency", "6", "--rps", "60"]);
    await scene.whenWorking(3);
    const waiting = async (): Promise<unknown> => {
      const closed = `select count(*)::int as count from migrate.workers where report like '%"open":false%'`;
      return (await scene.query(closed))[0]?.["count"];
    };
    await expect.poll(waiting).toBe(3);
    const status = await scene.migrate(["status", "--ledger", scene.ledger]);
    expect(status.stdout).toMatch(/waiting +for import supplier \S+; one worker keeps checking/);
    // The supplier is probed after 2 s and again after 4 s. If each worker probed, three requests would arrive at once.
    const checks = async (): Promise<readonly number[]> => {
      const times = (await admin.imports()).map(({ at }) => Date.parse(at));
      return times.filter((at) => at > (times[PAUSE_AT - 1] ?? Infinity) + 1_500);
    };
    await expect.poll(async () => (await checks()).length).toBeGreaterThan(1);
    const [first = Number.NaN, second = Number.NaN] = await checks();
    expect(second - first).toBeGreaterThan(1_000);
    await admin.supplier("Ongoing");
    const end = await push.ended;
    expect(await deliveryErrors(240, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
  });
});
