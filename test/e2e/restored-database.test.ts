import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CliOptions } from "./cli.ts";
import { goodAccounts, outcomeLines, statusCounts, writeExtract } from "./push-scene.ts";
import { ALL, CAN_RESTORE, DAY_1, machine, ONCE, useRestores } from "./restored-database-scene.ts";

describe.skipIf(!CAN_RESTORE)("after a restore of the database (skipped without PostgreSQL and pg_dump),", () => {
  const { admin, server, inScene, dumpOf, restored, twice } = useRestores();

  test("no command sends from the worker's machine, from the planner's machine or from another folder", async () => {
    const scene = await restored();
    const flags = [...ONCE, "--ledger", scene.ledger];
    for (const place of [scene.other, {}, { cwd: machine(scene).cwd }]) {
      const { code, stderr } = await scene.push(flags, place);
      expect(code).toBe(6);
      expect(stderr).toMatch(/the ledger .* (lacks 30 requests that|was restored to a state older than) .*journal/);
      expect((await scene.migrate(["resume", "--ledger", scene.ledger], place)).code).toBe(6);
      expect((await scene.migrate(["reconcile", "--ledger", scene.ledger], place)).code).toBe(6);
      const exclude = ["exclude", "EXT-00020", "--reason", "closed", "--ledger", scene.ledger];
      expect((await scene.migrate(exclude, place)).code).toBe(6);
    }
    expect(await admin.accounts()).toHaveLength(ALL);
  });

  test("no machine sends until a user confirms that nothing was lost", async () => {
    const scene = await inScene(DAY_1);
    const flags = [...ONCE, "--ledger", scene.ledger];
    const asks = async (place: CliOptions, who: RegExp): Promise<void> => {
      const { code, stderr } = await scene.push(flags, place);
      expect(stderr).toMatch(/has been restored, moved or failed over since/);
      expect(stderr).toMatch(who);
      expect(code).toBe(6);
    };
    expect((await scene.push(flags)).code).toBe(0);
    writeExtract(scene.folder, { accounts: goodAccounts(ALL) });
    const other = machine(scene);
    await dumpOf(scene)();
    await asks({}, /another machine may have sent more/);
    await asks(other, /1 other machine may have sent more/);
    const confirmed = await scene.migrate(["ledger", "repair", "--nothing-lost", "--ledger", scene.ledger]);
    expect(confirmed).toMatchObject({
      code: 0,
      stdout: "Every request in this machine's journals is in the ledger\n",
    });
    expect((await scene.push(flags, other)).code).toBe(0);
    expect((await scene.push(flags)).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(ALL);
  });

  test("a recreated database without the ledger is refused", async () => {
    const scene = await inScene(DAY_1);
    const flags = [...ONCE, "--ledger", scene.ledger];
    expect((await scene.push(flags)).code).toBe(0);
    await server().query(`drop database "${path.basename(scene.ledger)}" with (force)`);
    await server().query(`create database "${path.basename(scene.ledger)}"`);
    for (const command of [["resume"], ["reconcile"], ["worker"], ["exclude", "EXT-00001", "--reason", "closed"]]) {
      const refused = await scene.migrate([...command, "--ledger", scene.ledger]);
      expect(refused.stderr).toMatch(/the ledger \S+ is lost: its database has no ledger, .* journals in/);
      expect(refused.code).toBe(6);
    }
    const { code, stderr } = await scene.push(flags);
    expect(stderr).toMatch(/lacks 10 requests that the journal .* contains/);
    expect(code).toBe(6);
    expect((await scene.migrate(["ledger", "repair", "--ledger", scene.ledger])).code).toBe(5);
    expect(statusCounts(outcomeLines((await scene.push(flags)).stdout))).toEqual({ ambiguous: DAY_1 });
    expect(await twice()).toBe(0);
  });
});
