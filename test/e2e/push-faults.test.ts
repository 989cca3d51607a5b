import { describe, expect, test } from "vitest";
import {
  goodAccounts,
  latestRun,
  outcomeLines,
  references,
  statusCounts,
  workplace,
  useSandbox,
} from "./push-scene.ts";
import { contradictions, collectEvidence, type PushEvidence } from "./push-evidence.ts";

const { sandbox, admin } = useSandbox();

const NO_DEDUPE = ["--contract", "no-dedupe.yaml"];

describe("an overloaded platform", () => {
  test("receives the same record again after the delay that it requested", async () => {
    const { push } = workplace({ accounts: goodAccounts(6) }, sandbox);
    await admin.faults({ throttle: { at: [3] }, retryAfter: 1 });
    const { code, stdout } = await push(["--concurrency", "1"]);
    expect(code).toBe(0);
    expect(outcomeLines(stdout).map(({ attempts }) => attempts)).toEqual([1, 1, 2, 1, 1, 1]);
    const seen = await admin.imports();
    const [third, fourth] = seen.slice(2).map(({ at }) => Date.parse(at));
    expect((fourth ?? 0) - (third ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(seen).toHaveLength(7);
  });

  test("receives all records, regardless of how often it throttles", async () => {
    const { push } = workplace({ accounts: goodAccounts(60) }, sandbox);
    await admin.faults({ maxPerSecond: 60, retryAfter: "none" });
    const { code, stdout } = await push(["--concurrency", "16"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 60 });
    expect(await admin.accounts()).toHaveLength(60);
  });
});

describe.each([
  ["an error before processing", { errorBefore: { at: [2, 5] } }],
  ["an error after processing", { errorAfter: { at: [2, 5] } }],
  ["a gateway timeout after processing", { errorAfter: { at: [2, 5] }, errorStatus: 504 }],
  ["a reset before processing", { resetBefore: { at: [2, 5] } }],
  ["a reset after processing", { resetAfter: { at: [2, 5] } }],
])("after %s", (_, faults) => {
  test("records are sent again if the platform detects repeats, and each record is created only once", async () => {
    const { push } = workplace({ accounts: goodAccounts(10) }, sandbox);
    await admin.faults(faults);
    const { code, stdout } = await push(["--concurrency", "1"]);
    const lines = outcomeLines(stdout);
    expect(code).toBe(0);
    expect(statusCounts(lines)).toEqual({ accepted: 10 });
    expect(lines.reduce((sum, { attempts = 0 }) => sum + attempts, 0)).toBe(12);
    const held = new Map((await admin.accounts()).map(({ key, number }) => [key, number]));
    expect(new Map(lines.map(({ key, account }) => [key, account]))).toEqual(held);
    expect(held.size).toBe(10);
  });

  test("records are ambiguous if the platform does not detect repeats, and no later push sends them", async () => {
    const { push, migrate } = workplace({ accounts: goodAccounts(10) }, sandbox);
    await admin.faults({ ...faults, forgetful: true });
    const first = await push([...NO_DEDUPE, "--concurrency", "1"]);
    expect(first.code).toBe(5);
    expect(statusCounts(outcomeLines(first.stdout))).toEqual({ accepted: 8, ambiguous: 2 });
    expect(await admin.imports()).toHaveLength(10);

    const second = await push(NO_DEDUPE);
    expect(second.code).toBe(5);
    expect(statusCounts(outcomeLines(second.stdout))).toEqual({ skipped: 8, ambiguous: 2 });
    expect(second.stderr).not.toContain("migrate resume");
    expect((await migrate(["resume"])).code).toBe(5);
    expect(await admin.imports()).toHaveLength(10);
  });
});

test.each([
  ["errors", { errorAfter: { at: [1, 2, 3] } }],
  [
    "a reset and truncated refusals (the record used to be reported as rejected)",
    { resetAfter: { at: [1] }, cutAfter: { at: [2, 3] } },
  ],
])(
  "a record that the platform created despite %s stays ambiguous until resume receives a clear reply",
  async (_, faults) => {
    const { push, migrate } = workplace({ accounts: goodAccounts(1) }, sandbox);
    await admin.faults(faults);
    const { code, stdout, stderr } = await push();
    expect(code).toBe(5);
    expect(outcomeLines(stdout)).toMatchObject([{ status: "ambiguous", attempts: 3 }]);
    expect(stderr).toMatch(/Next +migrate resume/);
    const [held] = await admin.accounts();
    const resumed = await migrate(["resume", "--format", "ndjson"]);
    expect(resumed.code).toBe(0);
    expect(outcomeLines(resumed.stdout)).toMatchObject([{ status: "accepted", account: held?.number }]);
  },
);

test("a truncated reply leaves its record ambiguous", async () => {
  const { push } = workplace({ accounts: goodAccounts(4) }, sandbox);
  await admin.faults({ cutAfter: { at: [2] }, forgetful: true });
  const { code, stdout } = await push([...NO_DEDUPE, "--concurrency", "1"]);
  expect(code).toBe(5);
  expect(outcomeLines(stdout).map(({ status }) => status)).toEqual(["accepted", "ambiguous", "accepted", "accepted"]);
  expect(await admin.imports()).toHaveLength(4);
});

test("an import supplier that becomes Paused stops the push, and resume completes it later", async () => {
  const { push, migrate } = workplace({ accounts: goodAccounts(100) }, sandbox);
  await admin.faults({ pauseAt: 30, latencyMs: 5 });
  const { code, stdout, stderr } = await push(["--concurrency", "8"]);
  expect(code).toBe(4);
  expect(stderr).toMatch(/import supplier/);
  expect(stderr).toMatch(/Next +migrate resume/);
  const { accepted = 0, blocked = 0, pending = 0 } = statusCounts(outcomeLines(stdout));
  expect(accepted + blocked + pending).toBe(100);
  expect(accepted).toBe((await admin.accounts()).length);
  expect(blocked).toBeGreaterThan(0);
  expect(blocked).toBeLessThanOrEqual(8);
  expect(pending).toBeGreaterThan(0);

  const still = await migrate(["resume", "--format", "ndjson"]);
  expect(still.code).toBe(4);
  expect(statusCounts(outcomeLines(still.stdout))).toMatchObject({ accepted });

  await admin.supplier("Ongoing");
  const done = await migrate(["resume", "--format", "ndjson"]);
  expect(done.code).toBe(0);
  expect(statusCounts(outcomeLines(done.stdout))).toEqual({ accepted: 100 });
  expect(await admin.accounts()).toHaveLength(100);
});

test("an import supplier that is Complete from the start receives only a few requests", async () => {
  const { push } = workplace({ accounts: goodAccounts(100) }, sandbox);
  await admin.supplier("Complete");
  const { code, stdout } = await push(["--concurrency", "4"]);
  expect(code).toBe(4);
  expect((await admin.imports()).length).toBeLessThanOrEqual(4);
  expect(statusCounts(outcomeLines(stdout))).not.toHaveProperty("accepted");
});

test("after many faults at once and repeated resuming, the platform, the ledger and the report agree", async () => {
  const work = workplace({ accounts: goodAccounts(150) }, sandbox);
  const faults = { errorBefore: "6%", errorAfter: "6%", resetBefore: "6%", resetAfter: "6%", cutAfter: "3%" };
  const busy = { throttle: { at: [10, 40, 90, 130] }, retryAfter: "none" };
  await admin.faults({ ...faults, ...busy, latencyMs: [0, 15], rotateTokensAt: 60 });
  let { code } = await work.push(["--concurrency", "16"]);
  for (let resumes = 0; code !== 0 && resumes < 8; resumes += 1) code = (await work.migrate(["resume"])).code;
  expect(code).toBe(0);
  const evidence = await collectEvidence(admin, work.file(".migrate/ledger.db"), await latestRun(work));
  expect(evidence.platform.requests.length).toBeGreaterThan(150);
  expect(contradictions(references(150), withAccounts(evidence), { ambiguous: 0 })).toEqual([]);
});

/** Adds the platform's account numbers to report lines without a number. A truncated reply contains no number. */
function withAccounts(evidence: PushEvidence): PushEvidence {
  const held = new Map(evidence.platform.accounts.map(({ key, number }) => [key, number]));
  const lines = evidence.report.lines.map((line) => {
    const account = line.account ?? held.get(line.key ?? "");
    return account === undefined ? line : { ...line, account };
  });
  return { ...evidence, report: { ...evidence.report, lines } };
}
