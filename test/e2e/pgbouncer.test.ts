import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { postgresLedgerStore } from "../../src/ledger/postgres/postgres-store.ts";
import { PRIVATE_POSTGRES_IS_HERE } from "../ledger/postgres/cluster.ts";
import { PGBOUNCER_IS_HERE, startPgBouncer } from "../ledger/postgres/pgbouncer.ts";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf } from "./push-scene.ts";
import { deliveryErrors, QUICK_MS, sharedPush, useServer, WAITING_MS } from "./shared-run-scene.ts";

const IS_HERE = PRIVATE_POSTGRES_IS_HERE && PGBOUNCER_IS_HERE;

describe.skipIf(!IS_HERE)("through PgBouncer in statement mode (skipped without PgBouncer),", () => {
  const { server } = useServer("private");

  test("the ledger is refused without waiting, and the message names the pool mode as the cause", async () => {
    const database = await server().createDatabase("statement_mode");
    const pooler = await startPgBouncer(server().port, "statement");
    onTestFinished(pooler.stop);
    const notices: string[] = [];
    const address = `${database.replace(`:${server().port}/`, `:${pooler.port}/`)}?sslmode=disable`;
    const store = postgresLedgerStore(address, { notice: (text) => void notices.push(text) });
    const refused = { code: "config", message: expect.stringContaining("a connection pooler in statement mode") };
    await expect(store.write("push", { create: true })).rejects.toMatchObject(refused);
    // A direct connection creates the ledger; the pooler still refuses reads and writes.
    await (await postgresLedgerStore(`${database}?sslmode=disable`).write("push", { create: true })).close();
    await expect(store.read()).rejects.toMatchObject(refused);
    await expect(store.write("push", { create: false })).rejects.toMatchObject(refused);
    expect(notices).toEqual([]);
  });
});

describe.skipIf(!IS_HERE)("through PgBouncer in transaction mode (skipped without PgBouncer),", () => {
  const { server } = useServer("private");
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
  let sandbox: TestSandbox;
  let admin: Admin;
  beforeAll(async () => {
    pooler = await startPgBouncer(server().port);
    sandbox = await startTestSandbox({ flags: ["--latency", "20"] });
    admin = adminOf(sandbox);
  });
  afterAll(async () => {
    await sandbox.stop();
    pooler.stop();
  });

  const scene = (records: number): ReturnType<typeof sharedPush> =>
    sharedPush(records, sandbox, server(), (url) => url.replace(`:${server().port}/`, `:${pooler.port}/`));

  test("a push, a second push and read-only commands work as they do without PgBouncer", async () => {
    const { push, migrate, ledger } = await scene(60);
    expect((await push(["--ledger", ledger])).code).toBe(0);
    expect((await push(["--ledger", ledger])).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(60);
    expect((await migrate(["status", "--ledger", ledger])).stdout).toContain("60 skipped");
    expect(await migrate(["ledger", "check", "--ledger", ledger])).toMatchObject({ code: 0 });
    const exported = await migrate(["ledger", "export", "--ledger", ledger]);
    expect(exported.stdout.split("\n").filter((line) => line.includes('"row":"item"'))).toHaveLength(120);
  });

  test("several workers send every record once, even if one is killed", async () => {
    await admin.reset();
    await admin.faults({ latencyMs: WAITING_MS });
    const { share, whenWorking, whenSettled, migrate, ledger } = await scene(200);
    const push = share(2, ["--rps", "50"]);
    const [victim] = await whenWorking(2);
    await admin.faults({ latencyMs: QUICK_MS });
    await whenSettled(50);
    process.kill(victim?.pid ?? 0, "SIGKILL");
    const end = await push.ended;
    expect(await deliveryErrors(200, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
    expect(await migrate(["ledger", "check", "--ledger", ledger])).toMatchObject({ code: 0 });
  });
});
