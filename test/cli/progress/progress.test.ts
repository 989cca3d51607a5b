import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../../src/cli/process/logger.ts";
import { createProgress, type Progress } from "../../../src/cli/progress/progress.ts";
import type { RunEvent } from "../../../src/job/run-event.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

interface Watched {
  readonly progress: Progress;
  readonly written: string[];
  readonly at: (ms: number) => void;
}

/** Creates progress output that is written to a pipe, with a clock that the test controls. */
function inPipe(logFormat: "text" | "json" = "text", verbose = true): Watched {
  const written: string[] = [];
  let now = 1000;
  const logger = createLogger({ quiet: false, verbose, logFormat, write: (text) => written.push(text), now: () => 0 });
  const screen = { live: false, stream: process.stderr, colour: false, width: () => 80 };
  return {
    progress: createProgress(logger, screen, { now: () => 0, monotonic: () => now }),
    written,
    at: (ms) => {
      now = 1000 + ms;
    },
  };
}

const RUN = { id: "20260102-0000-abcd", command: "push", target: "localhost:1", supplier: "S", operation: "import" };

function begun(progressFile: string = path.join(temporaryFolder(), "progress.json")): RunEvent {
  return { kind: "begun", run: RUN, progressFile };
}

function accepted(inFlight = 4): Extract<RunEvent, { kind: "outcome" }> {
  return { kind: "outcome", status: "accepted", inFlight, durationMs: 20 };
}

/** Parses JSON lines, checks their timestamps and removes them. */
function events(written: readonly string[]): readonly object[] {
  return written.map((line) => {
    const { time, ...event }: { time: string } = JSON.parse(line);
    expect(time).toBe("1970-01-01T00:00:00.000Z");
    return event;
  });
}

describe("progress without a terminal", () => {
  it("is shown as a plain line every 5 seconds at first, then every 30 seconds, then every minute", () => {
    const { progress, written, at } = inPipe();
    progress.onProgress({ kind: "checked", records: 1, invalid: 0 });
    for (let second = 1; second <= 20 * 60; second += 1) {
      at(second * 1000);
      progress.tick();
    }
    expect(written).toHaveLength(11 + 18 + 10);
  });

  it("shows how much a worker in a shared run has sent, without a total", () => {
    const { progress, written, at } = inPipe("text", false);
    progress.onProgress({ kind: "read", bytes: 10, ofBytes: 10 });
    progress.onProgress({ kind: "joined" });
    progress.onProgress(accepted());
    progress.onProgress(accepted(2));
    at(6000);
    progress.tick();
    expect(written.join("")).toMatch(/This worker has sent 2 records, 2 accepted, .*2 in flight/);
    expect(written.join("")).not.toMatch(/left|%/);
  });

  it("shows how much of the input has been read, and how many records have been checked", () => {
    const { progress, written, at } = inPipe();
    progress.onProgress({ kind: "read", bytes: 1_000_000, ofBytes: 4_000_000 });
    at(5000);
    progress.onProgress({ kind: "read", bytes: 3_000_000, ofBytes: 4_000_000 });
    at(10_000);
    progress.onProgress({ kind: "checked", records: 1500, invalid: 2 });
    expect(written).toEqual([
      "Reading 75% of 4.0 MB, 5 s\n",
      "Reading 75% of 4.0 MB, 1,500 records checked, 2 invalid, 10 s\n",
    ]);
  });

  it("counts one checked record in the singular", () => {
    const { progress, written, at } = inPipe();
    progress.onProgress({ kind: "read", bytes: 3_000_000, ofBytes: 4_000_000 });
    progress.onProgress({ kind: "checked", records: 1, invalid: 0 });
    at(5000);
    progress.onProgress({ kind: "read", bytes: 3_000_000, ofBytes: 4_000_000 });
    expect(written.at(-1)).toBe("Reading 75% of 4.0 MB, 1 record checked, 0 invalid, 5 s\n");
  });

  it("says that a push reads all its input before the first request", () => {
    const { progress, written, at } = inPipe();
    progress.onProgress(begun());
    at(5000);
    progress.onProgress({ kind: "read", bytes: 3_000_000, ofBytes: 4_000_000 });
    expect(written.at(-1)).toBe("Reading the whole input first: 75% of 4.0 MB, 5 s\n");
  });

  it("does not say that it reads input while `reconcile` of a push waits or queries the platform", () => {
    const { progress, written, at } = inPipe();
    progress.onProgress(begun());
    at(5000);
    progress.tick();
    expect(written.at(-1)).toBe("Working, 5 s\n");
  });

  it("shows the run and its counts immediately, then total, done, rate, requests in flight and time left", () => {
    const { progress, written, at } = inPipe();
    progress.onProgress(begun());
    progress.onProgress({ kind: "planned", counts: { pending: 100, invalid: 5, skipped: 1 } });
    expect(written).toEqual([
      "Run 20260102-0000-abcd: push to localhost:1, supplier S, import\n",
      "106 records: 100 to send, 5 invalid, 1 skipped\n",
    ]);
    for (let sent = 1; sent <= 50; sent += 1) {
      at(sent * 100);
      progress.onProgress(sent % 10 === 0 ? { ...accepted(), status: "rejected" } : accepted());
    }
    expect(written.slice(2)).toEqual(["Sent 50 of 100 (50%), 45 accepted, 5 rejected, 10/s, 4 in flight, 5 s left\n"]);
  });

  it.each([
    [{ new: 12, changed: 4, unchanged: 0 }, "16 to send (12 new, 4 changed)"],
    [{ new: 0, changed: 0, unchanged: 16 }, "16 to send (16 unchanged)"],
    [{ new: 0, changed: 0, unchanged: 0 }, "0 to send"],
  ])("says how many of the records to send are new, changed and unchanged: %j", (compared, text) => {
    const { new: added, changed, unchanged } = compared;
    const pending = added + changed + unchanged;
    const { progress, written } = inPipe();
    progress.onProgress({ kind: "planned", counts: { pending, skipped: 281 }, compared });
    expect(written).toEqual([`${pending + 281} records: ${text}, 281 skipped\n`]);
  });

  it("shows the plan of a dry run, but no sending progress", () => {
    const { progress, written } = inPipe();
    const compared = { new: 2, changed: 1, unchanged: 0 };
    progress.onProgress({ kind: "planned", counts: { valid: 3, skipped: 1 }, compared, isDryRun: true });
    expect(written).toEqual(["4 records: 3 to send (2 new, 1 changed), 1 skipped\n"]);
    expect(progress.current().sending).toBeUndefined();
  });

  it("counts the records that were sent by an earlier push or resume of the run", () => {
    const { progress } = inPipe();
    progress.onProgress({ kind: "planned", counts: { accepted: 60, rejected: 5, pending: 35, invalid: 9 } });
    progress.onProgress(accepted());
    expect(progress.current().sending).toMatchObject({ total: 100, done: 66, counts: { accepted: 61, rejected: 5 } });
  });

  it("shows the rate of the last minute, so that a change in pace is visible", () => {
    const { progress, at } = inPipe();
    progress.onProgress({ kind: "planned", counts: { pending: 10_000 } });
    for (let second = 1; second <= 300; second += 1) {
      at(second * 1000);
      const many = second <= 200 ? 10 : 2;
      for (let sent = 0; sent < many; sent += 1) progress.onProgress(accepted());
    }
    expect(progress.current().sending?.perSecond).toBeCloseTo(2, 0);
  });

  it("explains changes in pace with --verbose", () => {
    const { progress, written } = inPipe();
    progress.onProgress({ kind: "pace", limit: 2, reason: "timeout" });
    progress.onProgress({ kind: "pace", limit: 1, perSecond: 17.9, reason: "HTTP 429" });
    progress.notice("A notice");
    expect(written).toEqual([
      "In flight: at most 2 (timeout)\n",
      "In flight: at most 1 and 17.9/s (HTTP 429)\n",
      "A notice\n",
    ]);
  });
});

describe("a wait", () => {
  it("with many pauses is shown as one line at its start and one at its end", () => {
    const { progress, written, at } = inPipe("text", false);
    progress.onProgress({ kind: "planned", counts: { pending: 1000 } });
    written.splice(0);
    for (let second = 0; second < 60; second += 2) {
      at(second * 1000);
      progress.onProgress({ kind: "pause", forMs: 1200, reason: "HTTP 429" });
      progress.onProgress(accepted());
    }
    for (let second = 60; second < 120; second += 1) {
      at(second * 1000);
      progress.tick();
    }
    const waits = written.filter((line) => line.includes("aiting ") && !line.startsWith("Sent"));
    expect(waits).toEqual(["Waiting 2 s: HTTP 429\n", "No longer waiting (HTTP 429, 30 pauses in 60 s)\n"]);
  });

  it("that continues is shown again every five minutes, not at every pause", () => {
    const { progress, written, at } = inPipe("json", false);
    for (let second = 0; second < 16 * 60; second += 8) {
      at(second * 1000);
      progress.onProgress({ kind: "pause", forMs: 8000, reason: "HTTP 503" });
    }
    const logged = events(written);
    expect(logged.filter((event) => "event" in event && event.event === "wait_started")).toHaveLength(1);
    expect(logged.filter((event) => "event" in event && event.event === "wait_continues")).toHaveLength(3);
  });

  it("for an import supplier is reported only once, regardless of how often the supplier is checked", () => {
    const { progress, written, at } = inPipe("text", false);
    for (const [second, probeInMs] of [
      [0, 2000],
      [2, 4000],
      [6, 8000],
      [14, 16_000],
    ] as const) {
      at(second * 1000);
      progress.onProgress({ kind: "supplier", supplier: "S", open: false, code: "paused", probeInMs });
    }
    at(30_000);
    progress.onProgress({ kind: "supplier", supplier: "S", open: true });
    expect(written.filter((line) => line.startsWith("Import"))).toEqual([
      "Import supplier S accepts no records for now (paused); checking again in 2 s\n",
      "Import supplier S accepts records again, after 30 s\n",
    ]);
  });
});

describe("progress as JSON lines", () => {
  it("contains numbers in fields, and no prose", () => {
    const { progress, written, at } = inPipe("json");
    progress.onProgress(begun());
    progress.onProgress({ kind: "planned", counts: { pending: 3, invalid: 1 } });
    progress.onProgress({ kind: "pace", limit: 5, reason: "replies are still fast" });
    at(5000);
    progress.onProgress(accepted(2));
    progress.onProgress({ kind: "ended", state: "complete", exitCode: 1, counts: { accepted: 3, invalid: 1 } });
    const run = RUN.id;
    const { id: _id, ...identity } = RUN;
    expect(events(written)).toEqual([
      { level: "info", event: "run_started", run, ...identity },
      { level: "info", event: "run_planned", run, records: 4, toSend: 3, counts: { pending: 3, invalid: 1 } },
      { level: "debug", event: "pace_changed", run, limit: 5, reason: "replies are still fast" },
      {
        level: "info",
        event: "send_progress",
        run,
        total: 3,
        sent: 1,
        counts: { accepted: 1 },
        rate: 0.2,
        inFlight: 2,
        limit: 5,
        etaSeconds: 10,
        elapsedSeconds: 5,
      },
      {
        level: "info",
        event: "run_ended",
        run,
        state: "complete",
        exitCode: 1,
        counts: { accepted: 3, invalid: 1 },
        elapsedSeconds: 5,
      },
    ]);
  });
});

it("a run writes its progress to a file, which is removed at the end", async () => {
  const file = path.join(temporaryFolder(), "progress.json");
  const { progress, at } = inPipe();
  progress.onProgress(begun(file));
  progress.onProgress({ kind: "planned", counts: { pending: 2 } });
  at(2000);
  progress.tick();
  await expect.poll(() => existsSync(file)).toBe(true);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ run: RUN, sending: { total: 2, done: 0 } });
  progress.onProgress({ kind: "ended", state: "complete", exitCode: 0, counts: {} });
  expect(existsSync(file)).toBe(false);
});

describe("the current progress, for the metrics", () => {
  it("keeps the counts of a run that has ended while its report reads the input", () => {
    const { progress } = inPipe();
    progress.onProgress(begun());
    progress.onProgress({ kind: "ended", state: "complete", exitCode: 0, counts: { accepted: 3 } });
    progress.onProgress({ kind: "read", bytes: 10, ofBytes: 10 });
    expect(progress.current()).toMatchObject({ state: "complete", counts: { accepted: 3 } });
    progress.onProgress(begun());
    expect(progress.current().state).toBe("running");
    expect(progress.current().counts).toBeUndefined();
    progress.stop();
  });

  it("is not `running` after a command that failed before its run began", () => {
    const { progress } = inPipe();
    expect(progress.current().state).toBe("running");
    progress.stop();
    expect(progress.current().state).toBe("stopped");
  });
});
