import { expect, it } from "vitest";
import { createProgress, type Progress } from "../../../src/cli/process/progress.ts";
import { createLogger } from "../../../src/cli/process/logger.ts";

/** Progress that is written to a pipe, by a clock that the test sets. */
function inPipe(): { readonly progress: Progress; readonly written: string[]; readonly at: (ms: number) => void } {
  const written: string[] = [];
  let now = 1000;
  const logger = createLogger({
    quiet: false,
    verbose: true,
    logFormat: "text",
    write: (text) => written.push(text),
    now: () => 0,
  });
  const progress = createProgress(logger, { live: false, colour: false }, () => now);
  return {
    progress,
    written,
    at: (ms) => {
      now = 1000 + ms;
    },
  };
}

it("progress in a pipe is a plain line every five seconds", () => {
  const { progress, written, at } = inPipe();
  for (let ms = 0; ms <= 12_000; ms += 500) {
    at(ms);
    progress.onCheck({ records: ms, invalid: 2 });
  }
  expect(written).toEqual(["Checked 5,000 records, 2 invalid\n", "Checked 10,000 records, 2 invalid\n"]);
});

it("progress shows the rate, outcomes, requests in flight and the time left", () => {
  const { progress, written, at } = inPipe();
  progress.onCheck({ records: 101, invalid: 1 });
  for (let sent = 1; sent <= 51; sent += 1) {
    at((sent - 1) * 100);
    progress.onUpload({ kind: "outcome", status: sent % 10 === 0 ? "rejected" : "accepted", inFlight: 4 });
  }
  expect(written).toEqual(["Sent 51, 46 accepted, 5 rejected, 10/s, 4 in flight, 5 s left\n"]);
});

it("progress reports at once why it waits, and with --verbose why the rate changes", () => {
  const { progress, written } = inPipe();
  progress.onUpload({ kind: "pause", forMs: 1200, reason: "HTTP 429" });
  progress.onUpload({ kind: "pace", limit: 2, reason: "timeout" });
  progress.onUpload({ kind: "pace", limit: 1, perSecond: 17.9, reason: "HTTP 429" });
  progress.notice("A notice");
  expect(written).toEqual([
    "Waiting 2 s: HTTP 429\n",
    "2 in flight at most: timeout\n",
    "1 in flight and 17.9 a second at most: HTTP 429\n",
    "A notice\n",
  ]);
});
