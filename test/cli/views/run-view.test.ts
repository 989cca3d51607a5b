import { expect, test } from "vitest";
import { createLogger } from "../../../src/cli/process/logger.ts";
import { showWorker } from "../../../src/cli/views/run/run-view.ts";

test.each([
  [{ accepted: 2, ambiguous: 1, pending: 4 }, "It sent 3 records in 0 ranges, 2 accepted, 1 ambiguous"],
  [{ pending: 16 }, "It sent 0 records in 0 ranges"],
])("a worker that leaves a run counts only records that it sent: %j", (counts, expected) => {
  let text = "";
  const write = (piece: string): void => {
    text += piece;
  };
  const logger = createLogger({ quiet: false, verbose: false, logFormat: "text", write, now: () => 0 });
  expect(showWorker({ run: "r", reason: "drained", ranges: 0, counts, unsaved: [] }, logger)).toBe(3);
  expect(text).toBe(`This worker left run r. ${expected}\n`);
});
