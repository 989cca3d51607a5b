import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { outcomes, push, report, resume, type RecordOutcome, status, validate } from "energy-migrate";
import { platform, pushOf } from "./scene.ts";

async function all(found: AsyncIterable<RecordOutcome>): Promise<readonly RecordOutcome[]> {
  const listed: RecordOutcome[] = [];
  for await (const outcome of found) listed.push(outcome);
  return listed;
}

test("a push sends each valid record once, and a second push sends none of them again", async () => {
  const sandbox = await platform();
  const options = pushOf(20, sandbox);
  const first = await push(options);
  expect(first).toMatchObject({ exitCode: 0, failures: [], summary: { records: 20, counts: { accepted: 20 } } });
  const numbers = sandbox.accounts().map(({ number }) => number);
  const given = (await all(first.outcomes())).map(({ account }) => account);
  expect(new Set(given)).toEqual(new Set(numbers));
  expect(existsSync(first.report?.outcomes ?? "")).toBe(true);

  const second = await push(options);
  expect(second.summary.counts).toEqual({ skipped: 20 });
  expect(sandbox.requests().filter(({ path: at }) => at.includes("/data-import/"))).toHaveLength(20);
});

test("a push whose ledger is in use by this process is refused, and the running push continues", async () => {
  const sandbox = await platform({ faults: { latencyMs: 20 } });
  const options = pushOf(40, sandbox);
  let refused: Promise<unknown> | undefined;
  const done = await push({
    ...options,
    onProgress: ({ sending }) => {
      if (sending !== undefined) refused ??= push(options).catch((error: unknown) => error);
    },
  });
  expect(await refused).toMatchObject({ name: "Failure", code: "ledger_in_use", exitCode: 7 });
  expect(done.summary.counts).toEqual({ accepted: 40 });
  expect(sandbox.requests().filter(({ path: at }) => at.includes("/data-import/"))).toHaveLength(40);
});

test("two pushes of one process with two ledgers do not interfere with each other", async () => {
  const [one, other] = [await platform({ faults: { latencyMs: 5 } }), await platform({ faults: { latencyMs: 5 } })];
  const stop = new AbortController();
  const stopped = push({
    ...pushOf(60, one),
    signal: stop.signal,
    pace: { concurrency: 1 },
    onProgress: ({ sending }) => {
      if (sending !== undefined) stop.abort();
    },
  });
  const [first, second] = await Promise.all([stopped, push(pushOf(30, other))]);
  expect(first.exitCode).toBe(3);
  expect(second).toMatchObject({ exitCode: 0, summary: { counts: { accepted: 30 } } });
  expect(other.accounts()).toHaveLength(30);
});

test("after the first abort, requests in flight complete, and resume sends the other records", async () => {
  const sandbox = await platform({ faults: { latencyMs: 20 } });
  const stop = new AbortController();
  const options = pushOf(30, sandbox);
  const stopped = await push({
    ...options,
    signal: stop.signal,
    onProgress: ({ sending }) => {
      if (sending !== undefined) stop.abort();
    },
  });
  expect(stopped.exitCode).toBe(3);
  expect(stopped.summary.counts.ambiguous).toBeUndefined();
  expect(stopped.summary.counts.pending).toBeGreaterThan(0);

  const { folder, credentials } = options;
  const done = await resume({ folder, credentials });
  expect(done).toMatchObject({ run: stopped.run, exitCode: 0, summary: { counts: { accepted: 30 } } });
  expect(sandbox.accounts()).toHaveLength(30);
});

test("an immediate stop aborts requests, and reports their records as possibly processed", async () => {
  const sandbox = await platform({ faults: { hangAfter: { every: 1 } } });
  const now = new AbortController();
  const options = pushOf(3, sandbox);
  const stopped = await push({
    ...options,
    contract: [...[options.contract].flat(), path.join(options.folder ?? "", "no-dedupe.yaml")],
    stopNow: now.signal,
    onProgress: ({ sending }) => {
      if (sending !== undefined && sandbox.accounts().length > 0) now.abort();
    },
  });
  expect(stopped.exitCode).toBe(5);
  expect(stopped.summary.counts.ambiguous).toBeGreaterThan(0);
});

test("the runs, the outcomes and the report of a ledger can be read while a push writes to the ledger", async () => {
  const sandbox = await platform({ faults: { latencyMs: 10 } });
  const options = pushOf(60, sandbox);
  const { folder } = options;
  const seen: unknown[] = [];
  let reading: Promise<unknown> | undefined;
  const look = async (): Promise<void> => {
    const { runs } = await status({ folder });
    seen.push(runs[0]?.state, (await all(outcomes({ folder }))).length, (await report({ folder })).summary.records);
  };
  const done = await push({
    ...options,
    onProgress: ({ sending }) => {
      if (sending !== undefined) reading ??= look();
    },
  });
  await reading;
  expect(seen).toEqual(["running", 60, 60]);
  expect(done.summary.counts).toEqual({ accepted: 60 });
  expect(await status({ folder })).toMatchObject({ runs: [{ state: "complete" }], coverage: [{ accepted: 60 }] });
});

test("an error thrown by a callback ends the run and is rethrown, and the run can be resumed", async () => {
  const sandbox = await platform({ faults: { latencyMs: 10 } });
  const options = pushOf(30, sandbox);
  const pushed = push({
    ...options,
    onProgress: ({ sending }) => {
      if (sending !== undefined) throw new RangeError("of the program itself");
    },
  });
  await expect(pushed).rejects.toThrow(RangeError);
  const { folder, credentials } = options;
  expect((await resume({ folder, credentials })).summary.counts).toEqual({ accepted: 30 });
});

test("a program can send to production only with `allowProduction`", async () => {
  const sandbox = await platform();
  const options = pushOf(3, sandbox);
  const live = { ...options, target: { ...sandbox.target, environment: "production" } as const };
  await expect(push(live)).rejects.toMatchObject({ code: "wrong_target", exitCode: 2 });
  expect(sandbox.accounts()).toEqual([]);

  const stop = new AbortController();
  stop.abort();
  const begun = await push({ ...live, allowProduction: true, signal: stop.signal });
  expect(begun.exitCode).toBe(3);
  const { folder, credentials } = options;
  await expect(resume({ folder, credentials })).rejects.toMatchObject({ code: "wrong_target" });
  expect(sandbox.accounts()).toEqual([]);
  expect((await resume({ folder, credentials, allowProduction: true })).summary.counts).toEqual({ accepted: 3 });
});

test("a ledger of one platform is refused for another platform", async () => {
  const [one, other] = [await platform(), await platform()];
  const options = pushOf(3, one);
  await push(options);
  const { target, credentials } = other;
  await expect(push({ ...options, target, credentials })).rejects.toMatchObject({ code: "wrong_target" });
  expect(other.accounts()).toEqual([]);
});

test("a validation provides outcomes and causes until it is closed, and rejects with a Failure for a missing file", async () => {
  const sandbox = await platform();
  const { folder, contract, mapping, supplier } = pushOf(5, sandbox);
  const checked = await validate({ folder, contract, mapping, supplier, only: ["EXT-00002"] });
  expect(checked).toMatchObject({ exitCode: 0, run: undefined, report: undefined, summary: { records: 1 } });
  expect(await all(checked.outcomes())).toEqual([
    {
      record: 2,
      key: "EXT-00002",
      source: { file: path.join(folder ?? "", "accounts.csv"), line: 3 },
      status: "valid",
    },
  ]);
  expect(await checked.causes()).toEqual({ causes: [], others: 0 });
  await checked.close();
  await expect(checked.causes()).rejects.toMatchObject({ code: "usage" });

  const wrong = validate({ folder, contract: "nowhere.yaml" });
  await expect(wrong).rejects.toMatchObject({ name: "Failure", code: "config", exitCode: 2 });
});

test("a signal used for many calls keeps no listeners after the calls", async () => {
  const sandbox = await platform();
  const options = pushOf(2, sandbox);
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    addEventListener: (_type: "abort", listener: () => void) => void listeners.add(listener),
    removeEventListener: (_type: "abort", listener: () => void) => void listeners.delete(listener),
  };
  let most = 0;
  const onProgress = (): void => {
    most = Math.max(most, listeners.size);
  };
  await push({ ...options, signal, stopNow: signal, onProgress });
  await expect(push({ ...options, signal, credentials: {} })).rejects.toMatchObject({ code: "config" });
  expect([most, listeners.size]).toEqual([2, 0]);
});
