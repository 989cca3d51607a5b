import { afterAll, beforeAll, expect, test } from "vitest";
import { startChaosProxy } from "../chaos-proxy.ts";
import { adminOf } from "../e2e/push-scene.ts";
import { type TestSandbox, startTestSandbox } from "../e2e/cli.ts";
import { sharedPush, useServer } from "../e2e/shared-run-scene.ts";
import { seededDice } from "../seeded-dice.ts";
import type { FaultKind } from "./cluster-faults.ts";
import { pause } from "./cluster-faults.ts";
import { pushUnderFaults, verdictOf } from "./cluster-push.ts";

const faults = Number(process.env["SOAK_FAULTS"] ?? 300);
const seed = Number(process.env["SOAK_SEED"] ?? 1);
const only = process.env["SOAK_ONLY"] ?? "";

const WORKERS = 4;
/** The lease of `sharedPush`. */
const LEASE_MS = 3_000;
const RECORDS = 1_000;
const FAULTS_A_PUSH = 30;
const EVERY_MS = 600;
const CONCURRENCY = 16;
/** The rate is low enough for a push to outlast its faults. */
const FLAGS = ["--rps", "40", "--concurrency", String(CONCURRENCY)];
/** Maximum number of requests with an unknown outcome after one fault. */
const IN_DOUBT = 4 * CONCURRENCY;

const { server } = useServer("private");
let deduplicating: TestSandbox;
let forgetful: TestSandbox;

beforeAll(async () => {
  deduplicating = await startTestSandbox({ flags: ["--latency", "40"] });
  forgetful = await startTestSandbox({ flags: ["--latency", "40", "--forgetful"] });
});
afterAll(async () => {
  await deduplicating.stop();
  await forgetful.stop();
});

test(`${faults} faults in ${WORKERS} workers lose no record, and no account is created twice`, async () => {
  const dice = seededDice(seed);
  const counts = new Map<FaultKind, number>();
  const total = { pushes: 0, records: 0, lost: 0, unaccounted: 0, twice: 0, ambiguous: 0 };
  const budget = { left: faults };
  const startedAt = performance.now();
  while (budget.left > 0) {
    const sandbox = total.pushes % 2 === 0 ? deduplicating : forgetful;
    const admin = adminOf(sandbox);
    await admin.reset();
    const database = await startChaosProxy(new URL(server().url));
    const platform = await startChaosProxy(new URL(sandbox.ready.baseUrl));
    const env = { ...sandbox.env, MIGRATE_BASE_URL: platform.baseUrl.href };
    const through = (url: string): string => url.replace(`:${server().port}/`, `:${database.baseUrl.port}/`);
    const scene = await sharedPush(RECORDS, { env }, server(), through);
    const before = budget.left;
    const end = await pushUnderFaults({
      scene,
      records: RECORDS,
      workers: WORKERS,
      flags: sandbox === forgetful ? [...FLAGS, "--contract", "no-dedupe.yaml"] : FLAGS,
      targets: { server: server(), leaseMs: LEASE_MS, database, platform },
      dice,
      only,
      faults: Math.min(budget.left, FAULTS_A_PUSH),
      everyMs: EVERY_MS,
      onFault(kind) {
        budget.left -= 1;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      },
    });
    const verdict = await verdictOf(RECORDS, end, admin);
    const { lost, unaccounted, twice, ambiguous, accepted } = verdict;
    total.pushes += 1;
    total.records += RECORDS;
    total.lost += lost.length;
    total.unaccounted += unaccounted.length;
    total.twice += twice.length;
    total.ambiguous += ambiguous;
    const kind = sandbox === forgetful ? "does not deduplicate" : "deduplicates";
    say(`push ${total.pushes}, platform ${kind}: ${before - budget.left} faults, exit code ${end.code};`);
    say(
      `  ${accepted} accepted, ${ambiguous} ambiguous, ${lost.length} lost, ${unaccounted.length} unaccounted, ${twice.length} twice`,
    );
    if (lost.length + unaccounted.length + twice.length > 0)
      say(`  ${[...lost, ...unaccounted, ...twice].slice(0, 20).join(" ")}\n${end.stderr.slice(-2_000)}`);
    const injected = before - budget.left;
    expect(injected, "a push outlasts some faults").toBeGreaterThan(0);
    const most = sandbox === deduplicating ? 0 : injected * IN_DOUBT;
    expect(ambiguous, "ambiguous records are sent again if the platform deduplicates").toBeLessThanOrEqual(most);
    const checked = await scene.migrate(["ledger", "check", "--ledger", scene.ledger]);
    expect([checked.code, checked.stderr], "the tables of the ledger agree").toEqual([0, ""]);
    await database.close();
    await platform.close();
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  say(`seed ${seed}: ${faults} faults over ${total.pushes} pushes of ${RECORDS} records by ${WORKERS} workers,`);
  say(`${minutes} minutes:`);
  for (const [kind, times] of counts) say(`  ${times} ${kind}`);
  say(
    `  ${total.lost} lost, ${total.unaccounted} unaccounted, ${total.twice} twice, ${total.ambiguous} ambiguous (listed)`,
  );
  expect(total).toMatchObject({ lost: 0, unaccounted: 0, twice: 0 });
});

test("the range of a killed worker is taken over within the lease and 5 s", async () => {
  await adminOf(deduplicating).reset();
  const scene = await sharedPush(2_000, deduplicating, server());
  const push = scene.share(1, ["--lease", "30s", "--rps", "10"]);
  await scene.whenWorking(1);
  const elsewhere = scene.start(["worker", "--ledger", scene.ledger]);
  await scene.whenWorking(2);
  const held = (): Promise<readonly Record<string, unknown>[]> =>
    scene.query(`select first, fence from migrate.ranges join migrate.workers on workers.id = holder
      where pid = ${elsewhere.pid} and ranges.state = 'taken'`);
  const [range] = await held();
  elsewhere.kill("SIGKILL");
  const killedAt = performance.now();
  const takenOver = `select 1 from migrate.ranges join migrate.workers on workers.id = holder
    where first = ${String(range?.["first"])} and fence > ${String(range?.["fence"])} and pid <> ${elsewhere.pid}`;
  while ((await scene.query(takenOver)).length === 0) {
    if (performance.now() - killedAt > 120_000) throw new Error("no worker has taken over the range");
    await pause(100);
  }
  const seconds = (performance.now() - killedAt) / 1_000;
  say(`lease 30 s: the range of a killed worker was taken over after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(35);
  push.kill("SIGTERM");
  await push.ended;
});

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
