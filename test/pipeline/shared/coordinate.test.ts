import { hostname } from "node:os";
import { expect, test } from "vitest";
import type { ProcessEnd, StartedProcess } from "../../../src/job/dependencies.ts";
import type { SharedRun, SharedStatus, WorkerStatus } from "../../../src/ledger/runs/shared-run.ts";
import { Failure } from "../../../src/model/failure.ts";
import { coordinate } from "../../../src/pipeline/shared/coordinate.ts";
import type { UploadEnd } from "../../../src/upload/upload-types.ts";
import { createSimulatedClock } from "../../simulation/simulated-clock.ts";

const STATUS: SharedStatus = {
  run: "x",
  at: "2026-11-22T00:00:00.000Z",
  state: "open",
  leaseMs: 10_000,
  concurrency: 8,
  ranges: { waiting: 0, taken: 0, done: 2 },
  workers: [],
};

interface Scene {
  readonly calls: string[];
  readonly notices: string[];
  readonly drain: AbortController;
  /** Makes the processes exit by themselves. */
  readonly die: (end: ProcessEnd) => void;
  readonly ended: Promise<UploadEnd>;
  /** Lets this time pass. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Coordinates a run with frozen worker processes, which end only when they are killed. */
function coordinated(
  status: Partial<SharedStatus> | (() => Partial<SharedStatus>),
  fails: Partial<SharedRun> = {},
  { count = 1, isStarted = true }: { readonly count?: number; readonly isStarted?: boolean } = {},
): Scene {
  const clock = createSimulatedClock();
  const calls: string[] = [];
  const drain = new AbortController();
  const notices: string[] = [];
  const ends: ((end: ProcessEnd) => void)[] = [];
  const die = (end: ProcessEnd): void => ends.forEach((resolve) => resolve(end));
  const frozen: StartedProcess = {
    pid: isStarted ? 77 : undefined,
    ended: new Promise((resolve) => void ends.push(resolve)),
    stop: () => void calls.push("stop"),
    kill() {
      calls.push(`kill at ${clock.monotonic()}`);
      die({ signal: 9 });
    },
  };
  const shared: Pick<SharedRun, "begin" | "watch" | "evict" | "drain" | "end"> = {
    begin: async () => 2,
    watch: async () => ({ ...STATUS, ...(typeof status === "function" ? status() : status) }),
    evict: async () => void calls.push("evict"),
    drain: async () => void calls.push("drain"),
    end: async () => void calls.push("end"),
    ...fails,
  };
  const ended = coordinate({
    shared,
    run: "x",
    pending: 20,
    workers: { count, leaseMs: 10_000 },
    pace: { concurrency: 8, maxConcurrency: 8 },
    resendAmbiguous: false,
    workerCommand: [],
    onRequests: () => undefined,
    dependencies: {
      drain: drain.signal,
      abort: new AbortController().signal,
      clock,
      onProgress: () => undefined,
      notice: (text) => void notices.push(text),
      startProcess: () => frozen,
    },
  });
  ended.catch(() => undefined);
  return {
    calls,
    drain,
    die,
    notices,
    ended,
    async pass(ms) {
      const until = clock.monotonic() + ms;
      for (let idle = 0; clock.monotonic() < until && idle < 20; idle += 1) {
        await new Promise(setImmediate);
        if (clock.step()) idle = 0;
      }
      await new Promise(setImmediate);
    },
  };
}

function worker(state: WorkerStatus["state"]): WorkerStatus {
  const report = { counts: {}, inFlight: 0, perSecond: 0, replies: { count: 0, totalMs: 0 } };
  return { id: "w", host: hostname(), pid: 77, state, startedAt: "", seenAt: "", holds: [], ...report };
}

const LEFT = { waiting: 1, taken: 0, done: 1 };

test("ends the run once all records are done, and kills a frozen worker after a grace period", async () => {
  const { calls, ended, pass } = coordinated({ workers: [worker("lost")] });
  await pass(60_000);
  expect(await ended).toMatchObject({ reason: "done" });
  expect(calls).toEqual(["end", "stop", "kill at 40000"]);
});

test("announces a single range in the singular", async () => {
  const { notices, ended, pass } = coordinated({}, { begin: async () => 1 });
  await pass(60_000);
  await ended;
  expect(notices[0]).toMatch(/^1 range for 1 worker on this machine; /);
});

test("does not wait for a frozen worker when the user ends the run", async () => {
  const { calls, drain, ended, pass } = coordinated({ ranges: LEFT, workers: [worker("lost")] });
  await pass(5_000);
  expect(calls).toEqual([]);
  drain.abort();
  await pass(60_000);
  expect(await ended).toMatchObject({ reason: "drained" });
  expect(calls.slice(0, 4)).toEqual(["stop", "drain", "end", "stop"]);
});

test("does not wait for a frozen worker when a failure ends the run", async () => {
  const failure = { code: "authentication", message: "no" };
  const { ended, pass } = coordinated({ ranges: LEFT, workers: [worker("lost")], failure });
  await pass(60_000);
  expect(await ended).toMatchObject({ reason: "stopped", failure: { code: "authentication" } });
});

test("waits for a frozen worker that was not asked to stop, because it may continue", async () => {
  const { calls, pass } = coordinated({ ranges: LEFT, workers: [worker("lost")] });
  await pass(3_600_000);
  expect(calls).toEqual([]);
});

test("waits for workers of other machines if it starts no workers, until the user ends the run", async () => {
  const { calls, drain, ended, pass } = coordinated({ ranges: LEFT, workers: [worker("left")] }, {}, { count: 0 });
  await pass(3_600_000);
  expect(calls).toEqual([]);
  drain.abort();
  await pass(5_000);
  expect(await ended).toMatchObject({ reason: "drained" });
  expect(calls).toEqual(["drain", "end"]);
});

test("ends worker processes even if the run cannot be ended in the ledger", async () => {
  const away = new Failure("storage", "the server is away", {});
  const { calls, ended, pass } = coordinated({ workers: [worker("working")] }, { end: () => Promise.reject(away) });
  await pass(60_000);
  await expect(ended).rejects.toThrow("the server is away");
  expect(calls).toEqual(["stop", "kill at 40000"]);
});

test("names the signal that killed the last worker in the failure", async () => {
  const { notices, die, ended, pass } = coordinated({ ranges: LEFT, workers: [worker("lost")] });
  await pass(1_000);
  die({ signal: 9 });
  await pass(5_000);
  const { failure } = await ended;
  expect(failure?.message).toBe(
    "no worker is running, and 1 range of run x has not been sent: worker process 77 was killed (signal 9)",
  );
  expect(failure?.hint).toMatch(/^`migrate resume x` sends the rest; the system often sends signal 9/);
  expect(notices).toContain("Worker process 77 was killed (signal 9)");
});

test("names the exit code of the last worker in the failure", async () => {
  const { die, ended, pass } = coordinated({ ranges: LEFT, workers: [worker("left")] });
  die({ exitCode: 4 });
  await pass(5_000);
  expect((await ended).failure?.message).toMatch(/worker process 77 ended with exit code 4$/);
});

test("names the reason if no worker process could be started", async () => {
  const { calls, die, ended, pass } = coordinated({ ranges: LEFT, workers: [] }, {}, { isStarted: false });
  die({ startError: "EAGAIN" });
  await pass(5_000);
  expect((await ended).failure?.message).toMatch(/: a worker process could not be started \(EAGAIN\)$/);
  expect(calls).not.toContain("evict");
});

test("waits for a worker of another machine that is joining", async () => {
  let workers = [worker("lost"), { ...worker("joining"), host: "elsewhere" }];
  const { calls, die, ended, pass } = coordinated(() => ({ ranges: LEFT, workers }));
  die({ signal: 9 });
  await pass(3_600_000);
  expect(calls).not.toContain("end");
  workers = workers.map((one) => ({ ...one, state: "lost" }));
  await pass(5_000);
  expect(await ended).toMatchObject({ reason: "stopped", failure: { code: "incomplete" } });
});
