import { cpSync } from "node:fs";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { createTestFolder } from "../temporary-folder.ts";
import { type RunningCli, type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf, goodAccounts, outcomeLines, statusCounts, writeExtract } from "./push-scene.ts";
import { type SharedPush, sharedPush, useServer, deliveryErrors } from "./shared-run-scene.ts";

const FAST_PACE = ["--concurrency", "16"];
/** Slow enough that a second process joins before the first has sent every record. */
const WAITING_MS = 2_000;

const WAITS = /Waiting for `push`, process \d+ .*: this push will join its run as a worker, or start its own when/s;

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`a second push on one ledger ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { server } = useServer();
  let sandbox: TestSandbox;
  let admin: Admin;
  const inScene = (records: number): ReturnType<typeof sharedPush> => sharedPush(records, sandbox, server());

  beforeAll(async () => {
    sandbox = await startTestSandbox({ flags: ["--latency", "15"] });
    admin = adminOf(sandbox);
  });
  beforeEach(() => admin.reset());
  afterAll(() => sandbox.stop());

  test("that starts at the same moment joins the run that the other plans, and every record is sent once", async () => {
    const scene = await inScene(120);
    await admin.faults({ latencyMs: WAITING_MS });
    const both = [scene.share(1, FAST_PACE), scene.share(1, FAST_PACE)];
    await scene.whenWorking(2);
    await admin.faults({ latencyMs: 15 });
    const ends = await Promise.all(both.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const joined = ends.filter(({ stderr }) => stderr.includes("This push joins it as a worker"));
    expect(joined).toHaveLength(1);
    expect(joined[0]).toMatchObject({ stdout: "", stderr: expect.stringMatching(/This worker sent \d+ records? in/) });
    const planner = ends.find((end) => !joined.includes(end));
    expect(await deliveryErrors(120, planner ?? { stdout: "" }, admin)).toEqual([]);
    expect(await admin.imports()).toHaveLength(120);
    expect(await scene.query("select state from migrate.runs")).toEqual([{ state: "finished" }]);
    expect(await scene.workers()).toHaveLength(2);
  });

  test("that starts later, in another folder with the same input, also joins; after it has left, a third joins with two workers", async () => {
    await admin.faults({ latencyMs: WAITING_MS });
    const scene = await inScene(160);
    const first = scene.share(0);
    await first.waitForOutput(/and no worker on this machine/);
    const { folder, remove } = createTestFolder();
    cpSync(scene.folder, folder, { recursive: true });
    const second = scene.startPush(["--ledger", scene.ledger], { cwd: folder });
    await scene.whenWorking(1);
    second.kill("SIGTERM");
    expect(await second.ended).toMatchObject({ code: 3, stderr: expect.stringMatching(/left run .* sent \d+ record/) });
    remove();
    const next = scene.share(2);
    await scene.whenWorking(2);
    await admin.faults({ latencyMs: 15 });
    const third = await next.ended;
    expect([third.code, third.stdout]).toEqual([0, ""]);
    expect(third.stderr).toContain("This push joins it with 2 workers");
    const end = await first.ended;
    expect(end.code).toBe(0);
    expect(await deliveryErrors(160, end, admin)).toEqual([]);
    expect(await admin.imports()).toHaveLength(160);
  });

  test("with other settings is refused, and the message names the differences", async () => {
    const scene = await inScene(20);
    const first = scene.share(0);
    await first.waitForOutput(/and no worker on this machine/);
    const others = createTestFolder();
    cpSync(scene.folder, others.folder, { recursive: true });
    writeExtract(others.folder, { accounts: goodAccounts(3) });
    const refused = async (flags: readonly string[], options = {}): Promise<string> => {
      const { code, stderr } = await scene.push(["--ledger", scene.ledger, ...flags], options);
      return `${code} ${stderr.replaceAll(/\s+/g, " ")}`;
    };
    const inUse = `^7 migrate: the ledger \\S+ is in use by \`push\`, process ${first.pid} on `;
    const differs = `${inUse}.*; this push cannot join run \\S+, because the two differ in`;
    expect(await refused([], { cwd: others.folder })).toMatch(new RegExp(`${differs} the input `));
    expect(await refused(["--only", "EXT-00001", "--revise"])).toMatch(new RegExp(`${differs} --only, --revise `));
    expect(await refused(["--contract", "no-dedupe.yaml"])).toMatch(new RegExp(`${differs} the overlays `));
    expect(await refused(["--dry-run"])).toMatch(new RegExp(inUse));
    expect(await refused(["--workers", "0"])).toMatch(
      new RegExp(`${inUse}.*; with --workers 0 this push would send no records`),
    );
    others.remove();
    expect(await scene.workers()).toEqual([]);
    first.kill("SIGTERM");
    expect((await first.ended).code).toBe(3);
    expect(await admin.imports()).toEqual([]);
  });

  test("is refused while another process sends without workers, and the message says which runs can be joined", async () => {
    const scene = await inScene(160);
    const first = scene.startPush(["--ledger", scene.ledger, "--rps", "4"]);
    await scene.whenSettled(2);
    const { code, stderr } = await scene.push(["--ledger", scene.ledger, "--workers", "1"]);
    expect(code).toBe(7);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      /; run \S+ cannot be joined: only that process sends its records .*a push that was started with --workers can be joined/,
    );
    first.kill("SIGTERM");
    expect((await first.ended).code).toBe(3);
  });

  test("sends the rest with the other workers after the planner is killed, and one of them writes the outcomes", async () => {
    await admin.faults({ latencyMs: WAITING_MS });
    const scene = await inScene(80);
    const planner = scene.share(0, ["--concurrency", "4"]);
    await planner.waitForOutput(/and no worker on this machine/);
    const others = [scene.share(1, ["--concurrency", "4"]), scene.share(1, ["--concurrency", "4"])];
    await scene.whenWorking(1);
    planner.kill("SIGKILL");
    await planner.ended;
    await admin.faults({ latencyMs: 15 });
    const ends = await Promise.all(others.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(ends.some(({ stderr }) => stderr.includes("No process is left to complete run"))).toBe(true);
    const report = ends.map(({ stdout }) => outcomeLines(stdout)).find((lines) => lines.length > 0);
    expect(statusCounts(report ?? [])).toEqual({ skipped: 80 });
    expect(await admin.accounts()).toHaveLength(80);
    expect(await admin.imports()).toHaveLength(80);
  });

  describe("when the planner is killed during the plan", () => {
    const RECORDS = 120;

    test("a push that waits for the plan creates it itself, and sends every record once", async () => {
      const { scene, first, goOn } = await blockInPlan(await inScene(RECORDS));
      const second = scene.share(1, FAST_PACE);
      await second.waitForOutput(WAITS);
      const third = scene.share(1);
      await third.waitForOutput(WAITS);
      third.kill("SIGTERM");
      const stopped = /stopped while waiting for `push`/;
      expect(await third.ended).toMatchObject({ code: 3, stderr: expect.stringMatching(stopped) });
      first.kill("SIGKILL");
      await goOn();
      const end = await second.ended;
      expect(end.code).toBe(0);
      expect(await deliveryErrors(RECORDS, end, admin)).toEqual([]);
      expect(await admin.imports()).toHaveLength(RECORDS);
    });

    test("resume waits until the server has ended the dead session, plans again, and sends every record once", async () => {
      const { scene, first, goOn } = await blockInPlan(await inScene(RECORDS));
      first.kill("SIGKILL");
      await first.ended;
      expect(await scene.query("select state from migrate.runs where id = 2")).toEqual([{ state: "planning" }]);
      const resumed = scene.start(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
      await resumed.waitForOutput(/Waiting for the server, which is still running a query of a dead process/);
      await goOn();
      const end = await resumed.ended;
      expect(end.code).toBe(0);
      expect(await deliveryErrors(RECORDS, end, admin)).toEqual([]);
      expect(await admin.imports()).toHaveLength(RECORDS);
    });
  });
});

interface BlockedPlan {
  readonly scene: SharedPush;
  /** The push that is blocked while it plans. */
  readonly first: RunningCli;
  readonly goOn: () => Promise<void>;
}

/** Starts a push that creates the second run of a ledger. Its plan waits for a lock at record 100. */
async function blockInPlan(scene: SharedPush): Promise<BlockedPlan> {
  expect((await scene.push(["--ledger", scene.ledger, "--dry-run", "--limit", "1"])).code).toBe(0);
  await scene.query(BLOCK_PLAN);
  const keeper = new Client({ connectionString: scene.ledger });
  await keeper.connect();
  await keeper.query("select pg_advisory_lock(100)");
  const first = scene.share(1, FAST_PACE);
  // Other test files use the same server.
  const waiting = `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and not granted and datname = current_database()`;
  await expect.poll(() => scene.query(waiting), { timeout: 60_000 }).toHaveLength(1);
  return { scene, first, goOn: () => keeper.end() };
}

const BLOCK_PLAN = `
  create function migrate.stand_still() returns trigger language plpgsql as $$ begin
    if new.record = 100 and new.run = 2 then perform pg_advisory_xact_lock(100); end if;
    return new;
  end $$;
  create trigger stand_still before insert on migrate.items for each row execute function migrate.stand_still()`;
