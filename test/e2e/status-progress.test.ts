import { readdirSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  goodAccounts,
  latestRun,
  outcomeLines,
  statusCounts,
  useSandbox,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

/** A reply delay that makes a push take much longer than the steps of a test, on any machine. */
const SLOW_MS = 800;

interface StatusData {
  readonly runs: readonly {
    readonly id: string;
    readonly state: string;
    readonly running: boolean;
    readonly summary: { readonly records: number } & Readonly<Record<string, number>>;
    readonly progress?: { readonly sending?: Readonly<Record<string, unknown>> };
  }[];
  readonly coverage: readonly object[];
}

async function statusOf(work: Workplace): Promise<StatusData> {
  const { stdout } = await work.migrate(["status", "--format", "json"]);
  const data: StatusData = JSON.parse(stdout);
  return data;
}

test("status shows the total, rate and pace of a running push, with its requests in flight as pending", async () => {
  const work = workplace({ accounts: goodAccounts(300) }, sandbox);
  await admin.faults({ latencyMs: [100, 200] });
  // Slow enough that the push runs until it is stopped.
  const pushing = work.startPush(["--rps", "2"]);
  while ((await admin.imports()).length < 3) await delay(20);
  await expect
    .poll(async () => (await statusOf(work)).runs[0]?.progress?.sending)
    .toMatchObject({ total: 300, inFlight: expect.any(Number), perSecond: expect.any(Number), pace: {} });
  const [run] = (await statusOf(work)).runs;
  expect(run).toMatchObject({ state: "running", running: true, summary: { records: 300 } });
  expect(run?.summary["ambiguous"]).toBeUndefined();
  const { stdout } = await work.migrate(["status"]);
  expect(stdout).toMatch(/state +running/);
  expect(stdout).toMatch(/sent +\d+ of 300 \(\d+%\)/);
  expect(stdout).toMatch(/now +[\d.]+\/s, \d+ in flight/);
  const during = await work.migrate(["report", "--format", "ndjson", "--out", "during"]);
  expect(statusCounts(outcomeLines(during.stdout))).not.toHaveProperty("ambiguous");
  pushing.kill("SIGINT");
  await pushing.ended;
});

test("status shows a push that was stopped early as incomplete, and as complete after resume", async () => {
  const work = workplace({ accounts: goodAccounts(200) }, sandbox);
  await admin.faults({ latencyMs: SLOW_MS });
  const pushing = work.startPush(["--concurrency", "4"]);
  while ((await admin.imports()).length < 8) await delay(20);
  pushing.kill("SIGINT");
  expect((await pushing.ended).code).toBe(3);
  await admin.faults({});
  const [stopped] = (await statusOf(work)).runs;
  expect(stopped).toMatchObject({ state: "incomplete", running: false });
  expect(stopped?.progress).toBeUndefined();
  expect(stopped?.summary["ambiguous"]).toBeUndefined();
  expect(readdirSync(work.file(".migrate/journal")).filter((name) => name.startsWith("progress"))).toEqual([]);
  await work.migrate(["resume"]);
  expect((await statusOf(work)).runs[0]).toMatchObject({ state: "complete", summary: { accepted: 200 } });
});

test("status shows a push as interrupted if its process was killed, and as stopped if the platform ended it", async () => {
  const work = workplace({ accounts: goodAccounts(60) }, sandbox);
  await admin.faults({ latencyMs: SLOW_MS });
  const pushing = work.startPush(["--concurrency", "2"]);
  while ((await admin.imports()).length < 5) await delay(20);
  pushing.kill("SIGKILL");
  await pushing.ended;
  expect((await statusOf(work)).runs[0]).toMatchObject({ state: "interrupted", running: false });
  // A refused command does not change this state.
  expect((await work.migrate(["reconcile", "--accept", "EXT-00060"])).code).toBe(2);
  expect((await statusOf(work)).runs[0]).toMatchObject({ state: "interrupted", running: false });

  const refused = workplace({ accounts: goodAccounts(3) }, sandbox);
  await admin.supplier("Paused");
  expect((await refused.push()).code).toBe(4);
  expect((await statusOf(refused)).runs[0]).toMatchObject({ state: "stopped" });
});

test("status shows how much of the extract is on the platform after all runs, including corrected rejects", async () => {
  const accounts = [{ REF: "A" }, { REF: "B" }, { REF: "C", TYPE: "X" }, { REF: "D", TYPE: "X" }];
  const work = workplace({ accounts }, sandbox);
  await work.push();
  const coverage = async (): Promise<object | undefined> => (await statusOf(work)).coverage[0];
  expect(await coverage()).toMatchObject({ records: 4, accepted: 2, supplier: "SANDBOX" });

  const corrected = workplace({ accounts: [{ REF: "C" }] }, sandbox);
  const ledger = ["--ledger", work.file(".migrate/ledger.db")];
  await corrected.push(ledger);
  expect(await coverage()).toMatchObject({ records: 4, accepted: 3 });
  const { stdout } = await work.migrate(["status"]);
  expect(stdout).toContain("On the platform, across all runs: 3 of 4 records (75%)");
});

test("a push shows its run, its platform and the number of records to send before the first request", async () => {
  const work = workplace({ accounts: [{ REF: "A" }, { REF: "B", TYPE: "X" }] }, sandbox);
  await admin.supplier("Paused");
  const { stderr } = await work.push(["--log-format", "json"]);
  const [started, planned] = stderr.split("\n").map((line): unknown => JSON.parse(line || "{}"));
  expect(started).toMatchObject({
    event: "run_started",
    command: "push",
    target: expect.stringContaining("127.0.0.1:"),
    supplier: "SANDBOX",
  });
  expect(planned).toMatchObject({ event: "run_planned", records: 2, toSend: 1, counts: { pending: 1, invalid: 1 } });
});

test("status still shows the contents of a ledger whose journal is missing", async () => {
  const work = workplace({ accounts: [{ REF: "A" }] }, sandbox);
  await work.push();
  rmSync(work.file(".migrate/journal"), { recursive: true });
  expect((await statusOf(work)).runs[0]).toMatchObject({ state: "complete" });
});

test("status --watch in a pipe writes changes until the run has ended, and exits with 0", async () => {
  const work = workplace({ accounts: goodAccounts(300) }, sandbox);
  const pushing = work.startPush(["--rps", "2"]);
  while ((await admin.imports()).length < 3) await delay(20);
  const watching = work.start(["status", "--watch", "--format", "json"]);
  await watching.waitForOutput(/"state":"running"/);
  pushing.kill("SIGINT");
  await pushing.ended;
  const { code, stdout, stderr } = await watching.ended;
  expect([code, stderr]).toEqual([0, ""]);
  const seen = stdout
    .trimEnd()
    .split("\n")
    .map((line): StatusData => {
      const data: StatusData = JSON.parse(line);
      return data;
    });
  expect(seen.length).toBeGreaterThan(1);
  expect(seen[0]?.runs[0]?.state).toBe("running");
  expect(seen.at(-1)?.runs[0]).toMatchObject({ state: "incomplete", summary: { records: 300 } });
});

test("status --watch exits silently with 0 on Ctrl-C, and the push continues", async () => {
  const work = workplace({ accounts: goodAccounts(300) }, sandbox);
  const pushing = work.startPush(["--rps", "2"]);
  while ((await admin.imports()).length < 3) await delay(20);
  const watching = work.start(["status", "--watch"]);
  await watching.waitForOutput(/sent +\d+ of 300/);
  watching.kill("SIGINT");
  expect(await watching.ended).toMatchObject({ code: 0, stderr: "" });
  const seen = (await admin.imports()).length;
  await expect.poll(async () => (await admin.imports()).length).toBeGreaterThan(seen);
  pushing.kill("SIGINT");
  expect((await pushing.ended).code).toBe(3);
});

test("status --watch without a running push shows the last status, and exits", async () => {
  const work = workplace({ accounts: [{ REF: "A" }] }, sandbox);
  await work.push();
  const { code, stdout } = await work.migrate(["status", "--watch"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/state +complete \(0\)/);
});

test("records that were ambiguous before a push do not count as sent by the push", async () => {
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  const flags = ["--contract", "no-dedupe.yaml", "--concurrency", "1"];
  await admin.faults({ forgetful: true, resetBefore: { at: [2] } });
  expect((await work.push(flags)).code).toBe(5);
  expect((await work.migrate(["status"])).stdout).toMatch(
    /records +3\n +sent +3 of 3 \(100%\): 2 accepted, 1 ambiguous/,
  );
  writeExtract(work.folder, { accounts: goodAccounts(5) });
  await admin.faults({ forgetful: true, resetBefore: { at: [4] } });
  expect((await work.push([...flags, "--metrics-file", "run.prom"])).code).toBe(5);
  const { stdout } = await work.migrate(["status", await latestRun(work)]);
  expect(stdout).toMatch(/records +5, of which 1 ambiguous, 2 skipped/);
  expect(stdout).toMatch(/sent +2 of 2 \(100%\): 1 accepted, 1 ambiguous/);
  expect(readFileSync(work.file("run.prom"), "utf8")).toMatch(/^migrate_send_records 2$[^]*^migrate_sent_records 2$/m);
});
