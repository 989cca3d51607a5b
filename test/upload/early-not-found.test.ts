import { expect, test } from "vitest";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import { upload } from "../../src/upload/upload.ts";
import { ACCEPTED, fakeClock, fakeLedger, rejected, sendable } from "./scene.ts";

const ABSENT: RequestResult = { replyClass: { kind: "absent", reason: "HTTP 404" }, http: 404, durationMs: 1 };
/** Time after which the platform has processed an earlier request that had no clear reply. */
const PROCESSED_AFTER_MS = 90_000;

/** Uploads an ambiguous record to a platform that does not deduplicate. Returns how often the record is sent. */
async function resendsOf(
  trustNotFoundFrom: number | undefined,
  processedAfterMs: number,
  before: RequestResult = ABSENT,
): Promise<number> {
  const clock = fakeClock();
  let sent = 0;
  const schedule: StepClient = {
    name: "schedule",
    idempotent: false,
    dedupesByKey: false,
    send: async () => {
      sent += 1;
      return ACCEPTED;
    },
    status: {
      poll: async () => (sent > 0 || clock.monotonic() >= processedAfterMs ? ACCEPTED : before),
      intervalMs: 5000,
      timeoutMs: 600_000,
    },
  };
  const never = new AbortController().signal;
  const { counts } = await upload(
    ambiguousRecord,
    { ledger: fakeLedger(), steps: [schedule], clock, random: () => 0.5, onProgress: () => undefined },
    {
      run: "run",
      concurrency: 1,
      drain: never,
      abort: never,
      ...(trustNotFoundFrom !== undefined && { trustNotFoundFrom }),
    },
  );
  expect(counts).toEqual({ accepted: 1 });
  return sent;
}

async function* ambiguousRecord() {
  yield [{ ...sendable(1), isAmbiguous: true }];
}

test("an ambiguous record is not sent again after a 'not found' reply within the quiet period", async () => {
  expect(await resendsOf(240_000, PROCESSED_AFTER_MS)).toBe(0);
});

test("an ambiguous record is sent again after a second 'not found' reply once the quiet period is over", async () => {
  expect(await resendsOf(240_000, Number.POSITIVE_INFINITY)).toBe(1);
});

test("polls that repeat the refusal of an earlier request do not close the import supplier", async () => {
  const refused = rejected("task_failed", "non_field_errors");
  expect(await resendsOf(240_000, Number.POSITIVE_INFINITY, refused)).toBe(1);
});
