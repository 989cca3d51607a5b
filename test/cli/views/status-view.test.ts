import { describe, expect, test } from "vitest";
import { statusText } from "../../../src/cli/views/run/status-view.ts";
import { textWidth } from "../../../src/terminal/text-width.ts";
import type { RunStatus } from "../../../src/commands/ledger/run-status.ts";
import type { SharedStatus, WorkerStatus } from "../../../src/ledger/runs/shared-run.ts";

const AT = "2026-11-22T17:54:00.000Z";

function worker(pid: number, given: Partial<WorkerStatus> = {}): WorkerStatus {
  return {
    id: String(pid),
    host: "migrate-3-x7k2p.transfer.example.internal",
    pid,
    state: "working",
    startedAt: AT,
    seenAt: AT,
    counts: {},
    inFlight: 12,
    perSecond: 36,
    limit: 12,
    reason: "HTTP 429",
    replies: { count: 0, totalMs: 0 },
    holds: [{ first: 65_001, last: 66_000, since: "2026-11-22T17:53:48.000Z" }],
    ...given,
  };
}

function textOf(shared: Partial<SharedStatus>, width: number): string {
  const status: RunStatus = {
    run: {
      id: "20261122-1753-75fb",
      command: "push",
      target: "api.example.com",
      supplier: "SPRING",
      operation: "import-account",
      endpoint: "",
      dryRun: false,
      state: "sending",
      startedAt: AT,
      settings: {},
    },
    summary: { records: 100_000, counts: { accepted: 65_000, pending: 35_000 }, errors: {}, warnings: {}, exitCode: 3 },
    state: "running",
    shared: {
      run: "20261122-1753-75fb",
      at: AT,
      state: "open",
      leaseMs: 30_000,
      concurrency: 48,
      rps: 200,
      ranges: { waiting: 15, taken: 4, done: 61 },
      workers: [],
      findings: { rate: { id: "1", perSecond: 150, agoMs: 0 }, suppliers: [] },
      ...shared,
    },
  };
  return statusText({ runs: [status], coverage: [] }, { width, colour: false });
}

interface ListedRun {
  readonly state?: RunStatus["state"];
  readonly summary?: RunStatus["summary"];
  readonly dryRun?: boolean;
  readonly exitCode?: number;
}

function runTo(target: string, id: string, given: ListedRun = {}): RunStatus {
  const { state = "complete", summary = MOSTLY_SKIPPED, dryRun = false, exitCode = 1 } = given;
  return {
    run: {
      id,
      command: "push",
      target,
      supplier: "SPRING",
      operation: "import-account",
      endpoint: "POST api.example.com/v1/data-import/accounts",
      dryRun,
      state: "finished",
      startedAt: AT,
      exitCode,
      settings: {},
    },
    summary,
    state,
  };
}

const MOSTLY_SKIPPED: RunStatus["summary"] = {
  records: 223,
  counts: { invalid: 19, rejected: 7, skipped: 197 },
  errors: {},
  warnings: {},
  exitCode: 1,
};

describe("a list of runs in 80 columns", () => {
  const screen = { width: 80, colour: false };

  test("has one line per run", () => {
    const ids = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `20261124-191${n}-d3d2`);
    const text = statusText({ runs: ids.map((id) => runTo("127.0.0.1:8443", id)), coverage: [] }, screen);
    expect(text.split("\n")).toEqual([
      "Runs against 127.0.0.1:8443, latest first",
      "run                 state         records  outcome",
      ...ids.map((id) => `${id}  complete (1)      223  19 invalid, 7 rejected, 197 skipped`),
      "",
    ]);
    expect(widthOf(text)).toBeLessThanOrEqual(80);
  });

  test("truncates a long list of counts without splitting a count", () => {
    const counts = { invalid: 19_000, accepted: 1_900_000, rejected: 7_000, ambiguous: 3, pending: 81_000 };
    const summary = { records: 2_007_003, counts, errors: {}, warnings: {}, exitCode: 3 };
    const runs = [
      runTo("api.example.com", "20261124-1911-d3d2", { state: "incomplete", exitCode: 3, summary }),
      runTo("api.example.com", "20261124-1910-d3d2", { dryRun: true, exitCode: 0 }),
    ];
    const lines = statusText({ runs, coverage: [] }, screen).split("\n");
    expect(lines[2]).toBe("20261124-1911-d3d2  incomplete (3)  2,007,003  19,000 invalid, …");
    expect(lines[3]).toContain("20261124-1910-d3d2  dry run (0) ");
    expect(widthOf(lines.join("\n"))).toBeLessThanOrEqual(80);
  });

  test("has a table and a coverage line for each target", () => {
    const [live, trial] = ["api.example.com", "api.test.example.com"];
    const operation = "V1 Create Or Update Account Import Process";
    const where = { supplier: "SPRING", operation };
    const coverage = [
      { ...where, target: live, records: 4_000, accepted: 640 },
      { ...where, target: trial, records: 50, accepted: 50 },
    ];
    const runs = [
      runTo(live, "20261124-1911-d3d2"),
      runTo(trial, "20261124-1910-d3d2"),
      runTo(live, "20261123-1200-aaaa"),
    ];
    const text = statusText({ runs, coverage }, screen);
    expect(widthOf(text)).toBeLessThanOrEqual(80);
    expect(text.indexOf("20261123-1200-aaaa")).toBeLessThan(text.indexOf(`Runs against ${trial}`));
    expect(unwrapped(text)).toContain(
      `On the platform, across all runs 640 of 4,000 records (16%) ${operation}, ${live}, SPRING`,
    );
    expect(unwrapped(text)).toContain(`50 of 50 records (100%) ${operation}, ${trial}, SPRING`);
  });
});

function widthOf(text: string): number {
  return Math.max(...text.split("\n").map(textWidth));
}

/** Returns the text with each run of whitespace replaced by one space. */
function unwrapped(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

describe.each([60, 80])("the status of a run with workers on a screen of %i columns", (width) => {
  test("fits on the screen without omitting anything", () => {
    const holds = [1, 1_001, 2_001, 3_001].map((first) => ({
      first,
      last: first + 999,
      since: "2026-11-22T17:53:50.000Z",
    }));
    const text = textOf({ workers: [worker(2211), worker(2212, { holds }), worker(2213, { holds: [] })] }, width);
    expect(widthOf(text)).toBeLessThanOrEqual(width);
    expect(unwrapped(text)).toContain(
      "pace 108/s, 36 in flight; limit 48 in flight, at most 200/s, platform accepts 150/s, for 3 workers in total",
    );
    const host = "migrate-3-x7k2p.transfer.example.internal";
    expect(unwrapped(text)).toContain(
      `workers ${host} (process 2211): 36/s, 12 in flight, limit 12 (HTTP 429); records 65001-66000 for 12 s`,
    );
    expect(unwrapped(text)).toContain(
      "records 1-1000 for 10 s, 1001-2000 for 10 s, 2001-3000 for 10 s, 3001-4000 for 10 s",
    );
    expect(unwrapped(text)).toContain(`${host} (process 2213): 36/s, 12 in flight, limit 12 (HTTP 429); no records`);
  });

  test("counts workers that have ended, and names the workers that ended most recently", () => {
    const gone = [1, 2, 3, 4, 5, 6, 7].map((pid) =>
      worker(pid, { state: pid % 2 === 0 ? "lost" : "left", seenAt: `2026-11-22T17:53:0${pid}.000Z`, host: "mover" }),
    );
    const text = textOf({ workers: [worker(2211), ...gone] }, width);
    expect(widthOf(text)).toBeLessThanOrEqual(width);
    expect(unwrapped(text)).toContain(
      "ended 4 left, 3 lost: mover (process 7) left, mover (process 6) lost, mover (process 5) left, " +
        "mover (process 4) lost, mover (process 3) left and others",
    );
    expect(unwrapped(textOf({ workers: [worker(2211)] }, width))).not.toContain("ended");
  });
});

test("how long a worker has held a range is measured only by the server's clock", () => {
  const since = "2031-01-01T00:00:00.000Z";
  const text = textOf(
    { at: "2031-01-01T00:00:20.000Z", workers: [worker(1, { holds: [{ first: 1, last: 9, since }] })] },
    80,
  );
  expect(unwrapped(text)).toContain("records 1-9 for 20 s");
});

test("the status of an empty ledger says that there are no runs", () => {
  expect(statusText({ runs: [], coverage: [] }, { width: 80, colour: false })).toBe("The ledger has no runs\n");
});
