import { hostname } from "node:os";
import { expect, test } from "vitest";
import type { StartedProcess } from "../../../src/job/dependencies.ts";
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
  readonly heard: string[];
  readonly drain: AbortController;
  readonly ended: Promise<UploadEnd>;
  /** Lets so much time pass. */
  readonly pass: (ms: number) => Promise<void>;
}

/** One process that is frozen: it ends when it is killed, and by nothing else. */
function coordinated(status: Partial<SharedStatus>, fails: Partial<SharedRun> = {}, count = 1): Scene {
  const clock = createSimulatedClock();
  const heard: string[] = [];
  const drain = new AbortController();
  const killed = new AbortController();
  const frozen: StartedProcess = {
    pid: 77,
    ended: new Promise((resolve) => killed.signal.addEventListener("abort", () => resolve())),
    stop: () => void heard.push("stop"),
    kill() {
      heard.push(`kill at ${clock.monotonic()}`);
      killed.abort();
    },
  };
  const shared: Pick<SharedRun, "handOut" | "watch" | "expel" | "drain" | "end"> = {
    handOut: async () => 2,
    watch: async () => ({ ...STATUS, ...status }),
    expel: async () => void heard.push("expel"),
    drain: async () => void heard.push("drain"),
    end: async () => void heard.push("end"),
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
      notice: () => undefined,
      startProcess: () => frozen,
    },
  });
  ended.catch(() => undefined);
  return {
    heard,
    drain,
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

test("a worker that stands still when all is done is ended after a while, and the run with it", async () => {
  const { heard, ended, pass } = coordinated({ workers: [worker("lost")] });
  await pass(60_000);
  expect(await ended).toMatchObject({ reason: "done" });
  expect(heard).toEqual(["end", "stop", "kill at 40000"]);
});

test("who asks a run to end does not wait for a worker that stands still", async () => {
  const { heard, drain, ended, pass } = coordinated({ ranges: LEFT, workers: [worker("lost")] });
  await pass(5_000);
  expect(heard).toEqual([]);
  drain.abort();
  await pass(60_000);
  expect(await ended).toMatchObject({ reason: "drained" });
  expect(heard.slice(0, 4)).toEqual(["stop", "drain", "end", "stop"]);
});

test("a failure that ends the run does not wait for a worker that stands still", async () => {
  const failure = { code: "authentication", message: "no" };
  const { ended, pass } = coordinated({ ranges: LEFT, workers: [worker("lost")], failure });
  await pass(60_000);
  expect(await ended).toMatchObject({ reason: "stopped", failure: { code: "authentication" } });
});

test("a worker that stands still, and that nobody has stopped, is waited for: it may wake and go on", async () => {
  const { heard, pass } = coordinated({ ranges: LEFT, workers: [worker("lost")] });
  await pass(3_600_000);
  expect(heard).toEqual([]);
});

test("where no worker is started here, those of other machines are waited for, until the run is to end", async () => {
  const { heard, drain, ended, pass } = coordinated({ ranges: LEFT, workers: [worker("left")] }, {}, 0);
  await pass(3_600_000);
  expect(heard).toEqual([]);
  drain.abort();
  await pass(5_000);
  expect(await ended).toMatchObject({ reason: "drained" });
  expect(heard).toEqual(["drain", "end"]);
});

test("processes are ended also where the run cannot be", async () => {
  const away = new Failure("storage", "the server is away", {});
  const { heard, ended, pass } = coordinated({ workers: [worker("working")] }, { end: () => Promise.reject(away) });
  await pass(60_000);
  await expect(ended).rejects.toThrow("the server is away");
  expect(heard).toEqual(["stop", "kill at 40000"]);
});
