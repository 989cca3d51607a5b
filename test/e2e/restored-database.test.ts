import { cpSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE } from "../ledger/postgres/cluster.ts";
import { DUMP_IS_HERE, dumpDatabase } from "../ledger/postgres/dump.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliOptions, type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf, goodAccounts, outcomeLines, statusCounts, writeExtract } from "./push-scene.ts";
import { sharedPush, type SharedPush, useServer } from "./shared-run-scene.ts";

const IS_HERE = PRIVATE_POSTGRES_IS_HERE && DUMP_IS_HERE;
const ONCE = ["--contract", "no-dedupe.yaml"];
const DAY_1 = 10;
const ALL = 40;

/** Creates the folders of another machine: a folder with the input, and a state folder. */
function machine(scene: SharedPush): CliOptions & { readonly cwd: string } {
  const cwd = temporaryFolder();
  cpSync(scene.folder, cwd, { recursive: true });
  return { cwd, env: { XDG_STATE_HOME: path.join(cwd, "state") } };
}

describe.skipIf(!IS_HERE)("after a restore of the database (skipped without PostgreSQL and pg_dump),", () => {
  const { server } = useServer("private");
  let sandbox: TestSandbox;
  let admin: Admin;
  beforeAll(async () => {
    sandbox = await startTestSandbox({ flags: ["--forgetful", "--latency", "20"] });
    admin = adminOf(sandbox);
  });
  afterAll(() => sandbox.stop());
  beforeEach(async () => {
    await admin.reset();
    await admin.faults({ forgetful: true });
  });

  const dumpOf = ({ ledger }: SharedPush): (() => Promise<void>) => dumpDatabase(server(), path.basename(ledger));
  /** Returns the number of duplicate accounts on the platform. */
  const twice = async (): Promise<number> => {
    const accounts = await admin.accounts();
    return accounts.length - new Set(accounts.map(({ key }) => key)).size;
  };

  /**
   * Pushes on two days. On the second day, a worker on another machine sends the records, or this machine does. Then
   * restores the dump of the first day.
   */
  const restored = async (sender: "elsewhere" | "here"): Promise<SharedPush & { readonly other: CliOptions }> => {
    const scene = await sharedPush(DAY_1, sandbox, server());
    expect((await scene.push([...ONCE, "--ledger", scene.ledger])).code).toBe(0);
    const restore = dumpOf(scene);
    writeExtract(scene.folder, { accounts: goodAccounts(ALL) });
    const other = machine(scene);
    const push = scene.share(sender === "here" ? 2 : 0, ONCE);
    if (sender === "elsewhere") {
      await push.waitForOutput(/no worker on this machine/);
      expect((await scene.migrate(["worker", "--ledger", scene.ledger], other)).code).toBe(0);
    }
    expect((await push.ended).code).toBe(0);
    await restore();
    expect(await admin.accounts()).toHaveLength(ALL);
    return { ...scene, other };
  };

  test("no command sends from the worker's machine, from the planner's machine or from another folder", async () => {
    const scene = await restored("elsewhere");
    const flags = [...ONCE, "--ledger", scene.ledger];
    for (const place of [scene.other, {}, { cwd: machine(scene).cwd }]) {
      const { code, stderr } = await scene.push(flags, place);
      expect(code).toBe(6);
      expect(stderr).toMatch(/the ledger .* (lacks 30 requests that|was restored to a state older than) .*journal/);
      expect((await scene.migrate(["resume", "--ledger", scene.ledger], place)).code).toBe(6);
      expect((await scene.migrate(["reconcile", "--ledger", scene.ledger], place)).code).toBe(6);
    }
    expect(await admin.accounts()).toHaveLength(ALL);
  });

  test("repair marks the journaled requests of the worker as ambiguous, and the operator settles them", async () => {
    const { ledger, push, migrate, other } = await restored("elsewhere");
    const repaired = await migrate(["ledger", "repair", "--ledger", ledger, "--format", "json"], other);
    expect(repaired.code).toBe(5);
    expect(JSON.parse(repaired.stdout)).toMatchObject({ noted: ALL - DAY_1, isUncertain: true });
    const again = await push([...ONCE, "--ledger", ledger], other);
    expect(statusCounts(outcomeLines(again.stdout))).toEqual({ skipped: DAY_1, ambiguous: ALL - DAY_1 });
    const reconcile = ["reconcile", "--format", "ndjson", "--ledger", ledger];
    // Another machine may have sent other content, and the contract allows only keys to be compared.
    const left = await migrate([...reconcile, "--quiet-period", "0s"], other);
    expect(statusCounts(outcomeLines(left.stdout))).toEqual({ skipped: DAY_1, ambiguous: ALL - DAY_1 });
    const keys = outcomeLines(left.stdout).flatMap(({ key = "", status }) => (status === "ambiguous" ? [key] : []));
    const settled = await migrate([...reconcile, "--accept", ...keys], other);
    expect(statusCounts(outcomeLines(settled.stdout))).toEqual({ skipped: DAY_1, accepted: ALL - DAY_1 });
    expect((await push([...ONCE, "--ledger", ledger], other)).code).toBe(0);
    expect(await migrate(["ledger", "check", "--ledger", ledger])).toMatchObject({ code: 0 });
    expect(await twice()).toBe(0);
  });

  test("no run is resumed in another folder of the machine whose workers sent the run", async () => {
    const scene = await sharedPush(ALL, sandbox, server());
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

  test("no machine sends until a user confirms that nothing was lost", async () => {
    const scene = await sharedPush(DAY_1, sandbox, server());
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
    const scene = await sharedPush(DAY_1, sandbox, server());
    const flags = [...ONCE, "--ledger", scene.ledger];
    expect((await scene.push(flags)).code).toBe(0);
    await server().query(`drop database "${path.basename(scene.ledger)}" with (force)`);
    await server().query(`create database "${path.basename(scene.ledger)}"`);
    const { code, stderr } = await scene.push(flags);
    expect(stderr).toMatch(/lacks 10 requests that the journal .* contains/);
    expect(code).toBe(6);
    expect((await scene.migrate(["ledger", "repair", "--ledger", scene.ledger])).code).toBe(5);
    expect(statusCounts(outcomeLines((await scene.push(flags)).stdout))).toEqual({ ambiguous: DAY_1 });
    expect(await twice()).toBe(0);
  });
});
