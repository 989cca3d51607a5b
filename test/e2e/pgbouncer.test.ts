import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE } from "../ledger/postgres/cluster.ts";
import { PGBOUNCER_IS_HERE, startPgBouncer } from "../ledger/postgres/pgbouncer.ts";
import { type SandboxProcess, startSandboxProcess } from "./cli.ts";
import { type Admin, adminOf } from "./push-scene.ts";
import { sharedPush, useServer, wrongsOf } from "./shared-run-scene.ts";

const IS_HERE = PRIVATE_POSTGRES_IS_HERE && PGBOUNCER_IS_HERE;

describe.skipIf(!IS_HERE)("through PgBouncer in transaction mode (skipped where it is not installed)", () => {
  const { server } = useServer();
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
  let sandbox: SandboxProcess;
  let admin: Admin;
  beforeAll(async () => {
    pooler = await startPgBouncer(server().port);
    sandbox = await startSandboxProcess({ flags: ["--latency", "20"] });
    admin = adminOf(sandbox);
  });
  afterAll(async () => {
    await sandbox.stop();
    pooler.stop();
  });

  const scene = (records: number): ReturnType<typeof sharedPush> =>
    sharedPush(records, sandbox, server(), (url) => url.replace(`:${server().port}/`, `:${pooler.port}/`));

  test("a push, a second one, and what looks at them work as without it", async () => {
    const { push, migrate, ledger } = await scene(60);
    expect((await push(["--ledger", ledger])).code).toBe(0);
    expect((await push(["--ledger", ledger])).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(60);
    expect((await migrate(["status", "--ledger", ledger])).stdout).toContain("60 skipped");
    expect(await migrate(["ledger", "check", "--ledger", ledger])).toMatchObject({ code: 0 });
    const exported = await migrate(["ledger", "export", "--ledger", ledger]);
    expect(exported.stdout.split("\n").filter((line) => line.includes('"row":"item"'))).toHaveLength(120);
  });

  test("several workers, of which one is killed, send every record once", async () => {
    await admin.reset();
    const { share, whenWorking, whenSettled, migrate, ledger } = await scene(200);
    const push = share(2, ["--rps", "50"]);
    const [victim] = await whenWorking(2);
    await whenSettled(50);
    process.kill(victim?.pid ?? 0, "SIGKILL");
    const end = await push.ended;
    expect(await wrongsOf(200, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
    expect(await migrate(["ledger", "check", "--ledger", ledger])).toMatchObject({ code: 0 });
  });
});
