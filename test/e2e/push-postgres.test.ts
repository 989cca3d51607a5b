import { hostname } from "node:os";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  POSTGRES_IS_HERE,
  type PostgresCluster,
  SKIPPED_WITHOUT_POSTGRES,
  startPostgres,
} from "../ledger/postgres/cluster.ts";
import { campaignSize } from "../campaign.ts";
import { scaledTimeout } from "../scaled-timeout.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { seededDice } from "../seeded-dice.ts";
import { type CliEnd, type TestSandbox, startTestSandbox } from "./cli.ts";
import { countRequests } from "./kill-schedule.ts";
import {
  type AccountCells,
  adminOf,
  goodAccounts,
  latestRun,
  outcomeLines,
  statusCounts,
  workplace,
} from "./push-scene.ts";

const DATABASE = "migrate_test_push";
/** `npm run soak -- kills` runs 300 kills. */
const KILLS = Number(process.env["KILLS_POSTGRES"] ?? campaignSize({ part: 4, whole: 5 }));
/** Enough records for the push to last until the last kill. */
const RECORDS = Math.max(600, 35 * KILLS);
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

/** Valid records, and one record for each problem that the ledger detects. */
const MIXED: readonly AccountCells[] = [
  ...goodAccounts(40),
  { REF: "EXT-00001" },
  { REF: "EXT-00002", NAME: "Another" },
  { REF: "ext-00003" },
  { REF: "EXT-90001", TYPE: "X" },
  { REF: "EXT-90002", POSTCODE: "" },
];

describe.skipIf(!POSTGRES_IS_HERE)(`a push with its ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let sandbox: TestSandbox;
  beforeAll(async () => {
    server = await startPostgres();
    sandbox = await startTestSandbox({ flags: ["--verbose", "--latency", "0-3"] });
  });
  afterAll(async () => {
    await sandbox.stop();
    await server.stop();
  });

  /** Creates a workplace whose commands use a ledger in a new database. */
  async function workplaceOf(accounts: readonly AccountCells[]): Promise<ReturnType<typeof workplace>> {
    const MIGRATE_LEDGER = await server.createDatabase(DATABASE);
    // Each test recreates the database. With the state folder of an earlier test, a push would refuse the new
    // database.
    process.env["XDG_STATE_HOME"] = temporaryFolder();
    return workplace({ accounts }, { env: { ...sandbox.env, MIGRATE_LEDGER } });
  }

  test("gives the same results as with a ledger in a file, and so do resume, report, explain and status", async () => {
    const inFile = workplace({ accounts: MIXED }, sandbox);
    const inDatabase = await workplaceOf(MIXED);
    const said = async ({ push, migrate, file }: typeof inFile): Promise<readonly unknown[]> => {
      await adminOf(sandbox).reset();
      const pushed = await push(["--out", "out"]);
      const again = await push();
      const refused = await migrate(["resume", "20000101"]);
      const reported = await migrate(["report", "--format", "ndjson"]);
      const explained = await migrate(["explain", "EXT-00002"]);
      const errors = readFileSync(file("out", "errors.csv"), "utf8");
      const { runs, coverage } = JSON.parse((await migrate(["status", "--format", "json"])).stdout);
      return [
        [pushed, again, refused, reported, explained].map(({ code }) => code),
        ...[pushed, again, reported].map(({ stdout }) => stdout.split("\n").map(withoutVaryingParts)),
        errors,
        withoutVaryingParts(explained.stdout),
        runs.map(({ counts, exitCode }: Record<string, unknown>) => ({ counts, exitCode })),
        coverage,
      ];
    };
    expect(await said(inDatabase)).toEqual(await said(inFile));
  });

  const timeout = scaledTimeout(300_000 * Math.max(1, KILLS / 50));
  test(`survives ${KILLS} kills without lost records, unreported records or duplicates`, { timeout }, async () => {
    const admin = adminOf(sandbox);
    await admin.reset();
    const work = await workplaceOf(goodAccounts(RECORDS));
    const dice = seededDice(seed);
    const counter = countRequests(sandbox);
    let next = work.startPush(["--concurrency", "16"]);
    for (let kills = 0; kills < KILLS; kills += 1) {
      await Promise.race([counter.after(1 + Math.floor(dice() * 60)), next.ended]);
      await delay(dice() * 60);
      next.kill("SIGKILL");
      await next.ended;
      next = work.start(["resume"]);
    }
    let end: CliEnd = await next.ended;
    for (let more = 0; end.code === 3 && more < 3; more += 1) end = await work.migrate(["resume"]);
    expect([end.code, end.stderr], `KILL_SEED=${seed}`).toEqual([0, expect.any(String)]);
    const accounts = await admin.accounts();
    expect(new Set(accounts.map(({ key }) => key)).size).toBe(RECORDS);
    expect(accounts).toHaveLength(RECORDS);
    const report = await work.migrate(["report", await latestRun(work), "--format", "ndjson"]);
    expect(statusCounts(outcomeLines(report.stdout))).toEqual({ accepted: RECORDS });
    expect(await work.migrate(["ledger", "check"])).toMatchObject({ code: 0 });
  });

  test("makes a second push end immediately, with a message that names the running push", async () => {
    const admin = adminOf(sandbox);
    await admin.reset();
    await admin.faults({ hangBefore: { at: [10] } });
    const work = await workplaceOf(goodAccounts(60));
    const counter = countRequests(sandbox);
    const first = work.startPush(["--concurrency", "4"]);
    await counter.after(9);
    const { code, stdout, stderr } = await work.push();
    expect([code, stdout]).toEqual([7, ""]);
    expect(stderr).toContain(`\`push\`, process ${first.pid} on ${hostname()}, since `);
    expect((await work.migrate(["status"])).stdout).toContain("running");
    first.kill("SIGKILL");
    await first.ended;
    expect((await work.migrate(["status"])).stdout).not.toContain("running");
  });
});

/** Replaces the parts that differ from run to run: durations, account numbers, ids, times. */
function withoutVaryingParts(text: string): string {
  return text
    .replaceAll(/"durationMs":[\d.]+/g, "")
    .replaceAll(/A-[0-9A-F]{8}/g, "A-")
    .replaceAll(/\d{8}-\d{4}-[0-9a-f]{4}/g, "run")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)/g, "time")
    .replaceAll(/\d+(?:\.\d+)? m?s\b/g, "a while");
}
