import { expect, test } from "vitest";
import { haveReplies, platformWaits } from "../../src/pipeline/send/send-records.ts";

test("a run waits 5 minutes for the platform, but only 12 seconds for an address that was never reached", () => {
  expect(platformWaits({})).toEqual({ maxWaitMs: 300_000, firstWaitMs: 12_000 });
  expect(platformWaits({ wait: true })).toEqual({ maxWaitMs: 300_000 });
  expect(platformWaits({}, true)).toEqual({ maxWaitMs: 300_000 });
});

test("a resumed run counts as having reached the platform if one of its records has a reply", () => {
  expect(haveReplies({ pending: 3, ambiguous: 1, skipped: 2, invalid: 1 })).toBe(false);
  expect(haveReplies({ pending: 3, rejected: 1 })).toBe(true);
});
