import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf } from "./push-scene.ts";
import { sharedPush, useServer, wrongsOf } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`several workers before one platform ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { server } = useServer();
  let sandbox: TestSandbox;
  let admin: Admin;
  beforeAll(async () => {
    sandbox = await startTestSandbox({ flags: ["--latency", "30"] });
    admin = adminOf(sandbox);
  });
  afterAll(() => sandbox.stop());

  test("with --wait-for-supplier one of three asks a closed supplier, and all go on when it has opened", async () => {
    const scene = await sharedPush(240, sandbox, server());
    await admin.faults({ pauseAt: 90 });
    const push = scene.share(3, ["--wait-for-supplier", "--concurrency", "6", "--rps", "60"]);
    await scene.whenWorking(3);
    const waiting = async (): Promise<unknown> => {
      const closed = `select count(*)::int as count from migrate.workers where report like '%"open":false%'`;
      return (await scene.query(closed))[0]?.["count"];
    };
    await expect.poll(waiting, { timeout: 60_000 }).toBe(3);
    const seenAt = performance.now();
    const before = (await admin.imports()).length;
    const status = await scene.migrate(["status", "--ledger", scene.ledger]);
    expect(status.stdout).toMatch(/waiting +for import supplier \S+; one worker keeps checking/);
    await expect.poll(async () => (await admin.imports()).length, { timeout: 60_000 }).toBeGreaterThan(before + 1);
    // It is asked after 2 s, and after 4 more. Were it asked by each of them, three requests would come at once.
    expect(performance.now() - seenAt).toBeGreaterThan(3_000);
    await admin.supplier("Ongoing");
    const end = await push.ended;
    expect(await wrongsOf(240, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
  });
});
