import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import type { RunningCli } from "./cli.ts";
import { deliveryErrors, FAST_PACE, type SharedPush, useSharedRuns } from "./shared-run-scene.ts";

const WAITS =
  /Waiting for `push`, process \d+ .*: this push will join the run of that process as a worker, or start a separate run when/s;

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(
  `when the planner is killed during the plan ${SKIPPED_WITHOUT_POSTGRES},`,
  () => {
    const { admin, inScene } = useSharedRuns(15);
    const RECORDS = 120;

    test("a push that was waiting for the plan makes the plan itself, and sends every record once", async () => {
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

    test("a worker that is stopped while it waits for the plan reports that it left the run", async () => {
      const { scene, first, goOn } = await blockInPlan(await inScene(RECORDS));
      const worker = scene.start(["worker", "--ledger", scene.ledger]);
      await worker.waitForOutput(/is being planned; waiting for its ranges/);
      worker.kill("SIGTERM");
      const { code, stderr } = await worker.ended;
      expect(code).toBe(3);
      expect(stderr).toMatch(/This worker left run/);
      expect(stderr).not.toMatch(/does not accept workers/);
      await goOn();
      expect((await first.ended).code).toBe(0);
    });

    test("resume waits until the server has ended the dead session, plans again, and sends every record once", async () => {
      const { scene, first, goOn } = await blockInPlan(await inScene(RECORDS));
      first.kill("SIGKILL");
      await first.ended;
      expect(await scene.query("select state from migrate.runs where id = 2")).toEqual([{ state: "planning" }]);
      const resumed = scene.start(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
      await resumed.waitForOutput(/Waiting for the server, which is still running a query from a dead process/);
      await goOn();
      const end = await resumed.ended;
      expect(end.code).toBe(0);
      expect(await deliveryErrors(RECORDS, end, admin)).toEqual([]);
      expect(await admin.imports()).toHaveLength(RECORDS);
    });
  },
);

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
  await expect.poll(() => scene.query(waiting)).toHaveLength(1);
  return { scene, first, goOn: () => keeper.end() };
}

const BLOCK_PLAN = `
  create function migrate.stand_still() returns trigger language plpgsql as $$ begin
    if new.record = 100 and new.run = 2 then perform pg_advisory_xact_lock(100); end if;
    return new;
  end $$;
  create trigger stand_still before insert on migrate.items for each row execute function migrate.stand_still()`;
