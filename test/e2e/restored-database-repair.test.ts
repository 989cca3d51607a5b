import { describe, expect, test } from "vitest";
import { outcomeLines, statusCounts } from "./push-scene.ts";
import { ALL, CAN_RESTORE, DAY_1, machine, ONCE, useRestores } from "./restored-database-scene.ts";

describe.skipIf(!CAN_RESTORE)("after a restore of the database (skipped without PostgreSQL and pg_dump),", () => {
  const { inScene, dumpOf, restored, twice } = useRestores();

  test("repair marks the journaled requests of the worker as ambiguous, and the operator settles them", async () => {
    const { ledger, push, migrate, other } = await restored();
    const repaired = await migrate(["ledger", "repair", "--ledger", ledger, "--format", "json"], other);
    expect(repaired.code).toBe(5);
    expect(JSON.parse(repaired.stdout)).toMatchObject({ noted: ALL - DAY_1, isUncertain: true });
    const again = await push([...ONCE, "--ledger", ledger], other);
    expect(statusCounts(outcomeLines(again.stdout))).toEqual({ skipped: DAY_1, ambiguous: ALL - DAY_1 });
    const reconcile = ["reconcile", "--format", "ndjson", "--ledger", ledger];
    // Another machine may have sent other content, and the contract allows only keys to be compared.
    const left = await migrate([...reconcile, "--quiet-period", "0s"], other);
    expect(statusCounts(outcomeLines(left.stdout))).toEqual({ skipped: DAY_1, ambiguous: ALL - DAY_1 });
    const settled = await migrate([...reconcile, "--quiet-period", "0s", "--accept-found"], other);
    expect(statusCounts(outcomeLines(settled.stdout))).toEqual({ skipped: DAY_1, accepted: ALL - DAY_1 });
    expect((await push([...ONCE, "--ledger", ledger], other)).code).toBe(0);
    expect(await migrate(["ledger", "check", "--ledger", ledger])).toMatchObject({ code: 0 });
    expect(await twice()).toBe(0);
  });

  test("a new database after `ledger repair --some-lost` sends no record that the platform has", async () => {
    const lost = await inScene(DAY_1);
    expect((await lost.push([...ONCE, "--ledger", lost.ledger])).code).toBe(0);
    const scene = await inScene(ALL);
    const { ledger, push, migrate } = scene;
    const other = machine(scene);
    expect((await migrate(["ledger", "repair", "--some-lost", "--ledger", ledger], other)).code).toBe(5);
    const held = await push([...ONCE, "--ledger", ledger], other);
    expect(statusCounts(outcomeLines(held.stdout))).toEqual({ ambiguous: ALL });
    const reconcile = ["reconcile", "--format", "ndjson", "--ledger", ledger, "--quiet-period", "0s", "--accept-found"];
    const settled = await migrate(reconcile, other);
    expect(statusCounts(outcomeLines(settled.stdout))).toEqual({ accepted: DAY_1, pending: ALL - DAY_1 });
    expect((await migrate(["resume", "--ledger", ledger], other)).code).toBe(0);
    expect(await migrate(["ledger", "check", "--ledger", ledger])).toMatchObject({ code: 0 });
    expect(await twice()).toBe(0);
  });

  test("no run is resumed in another folder of the machine whose workers sent the run", async () => {
    const scene = await inScene(ALL);
    const push = scene.share(2, [...ONCE, "--rps", "10"]);
    await scene.whenSettled(5);
    const restore = dumpOf(scene);
    await scene.whenSettled(15);
    process.kill(push.pid, "SIGSTOP");
    for (const { pid } of await scene.workers()) process.kill(pid, "SIGKILL");
    push.kill("SIGKILL");
    await push.ended;
    await restore();
    const { cwd } = machine(scene);
    const joined = await scene.migrate(["worker", "--ledger", scene.ledger], { cwd });
    expect(joined.stderr).toMatch(/lacks \d+ requests? that the journal .* contains/);
    expect(joined.code).toBe(6);
    const { code, stderr } = await scene.migrate(["resume", "--ledger", scene.ledger], { cwd });
    expect(stderr).toMatch(/lacks \d+ requests? that the journal .* contains/);
    expect(code).toBe(6);
    expect(await twice()).toBe(0);
  });
});
