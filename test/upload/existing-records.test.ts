import { describe, expect, test } from "vitest";
import type { AttemptOutcome } from "../../src/ledger/records/requests.ts";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import type { StepClient } from "../../src/platform/import/step-clients.ts";
import type { RecordToSend, UploadOptions } from "../../src/upload/upload-types.ts";
import { upload } from "../../src/upload/upload.ts";
import { ACCEPTED, AMBIGUOUS, fakeClock, fakeLedger, given, play, sendable } from "./scene.ts";

const EXISTS: RequestResult = {
  replyClass: { kind: "accepted", account: "A-7", exists: true },
  http: 400,
  durationMs: 10,
};
/** A step was done before; the reply has no account number. */
const STEP_WAS_DONE: RequestResult = { replyClass: { kind: "accepted", exists: true }, http: 409, durationMs: 10 };
const DONE: RequestResult = { replyClass: { kind: "accepted" }, http: 200, durationMs: 10 };

async function outcomeOf(
  answers: readonly RequestResult[],
  record: Partial<RecordToSend> = {},
  options: Partial<UploadOptions> = {},
): Promise<AttemptOutcome | undefined> {
  const left = [...answers];
  const { ledger } = await play(() => left.shift() ?? EXISTS, {
    dedupes: true,
    source: given({ ...sendable(1), ...record }),
    ...options,
  });
  return ledger.settlements.at(-1);
}

describe("a reply that says that the platform already has the record", () => {
  test("makes the record `existing` if the record was never sent", async () => {
    expect(await outcomeOf([EXISTS])).toMatchObject({
      status: "existing",
      http: 400,
      account: "A-7",
      reason: "HTTP 400: the platform already has the record",
    });
  });

  test.each([
    ["none", "existing"],
    ["same", "accepted"],
    ["other", "existing"],
  ] as const)(
    "depends on the content that earlier runs may have sent: for %s, the record is %s",
    async (prior, status) => {
      expect(await outcomeOf([EXISTS], { prior, isAmbiguous: prior === "same" })).toMatchObject({ status });
    },
  );

  test("accepts the repeat of a request of this run that had no clear reply", async () => {
    expect(await outcomeOf([AMBIGUOUS, EXISTS])).toMatchObject({ status: "accepted", account: "A-7" });
  });

  test("does not accept the repeat of an unanswered request if the platform may have other content", async () => {
    expect(await outcomeOf([AMBIGUOUS, EXISTS], { prior: "other" })).toMatchObject({ status: "existing" });
  });

  test.each([[[EXISTS]], [[AMBIGUOUS, EXISTS]]])(
    "rejects a record if the platform ignored the revision",
    async (answers) => {
      expect(await outcomeOf(answers, { prior: "accepted" })).toMatchObject({
        status: "rejected",
        problems: [{ attr: "non_field_errors", code: "revision_ignored", place: { line: 2 } }],
      });
    },
  );

  test("also makes the record `existing` in a run that only validates", async () => {
    expect(await outcomeOf([EXISTS], {}, { remoteValidation: true })).toMatchObject({ status: "existing" });
  });

  test("is not assumed if the platform creates the record, even if the platform may have had other content before", async () => {
    for (const prior of ["none", "same", "other", "accepted"] as const) {
      expect(await outcomeOf([ACCEPTED], { prior })).toMatchObject({ status: "accepted" });
    }
  });
});

function answering(result: RequestResult): StepClient["send"] {
  return () => Promise.resolve(result);
}

describe("a step that the platform has already done", () => {
  const never = new AbortController().signal;

  async function stagedAndProcessed(prior: RecordToSend["prior"]): Promise<readonly AttemptOutcome[]> {
    const steps: readonly StepClient[] = [
      { name: "stage", idempotent: true, dedupesByKey: false, send: answering(STEP_WAS_DONE) },
      { name: "process", idempotent: false, dedupesByKey: true, send: answering(ACCEPTED) },
    ];
    const ledger = fakeLedger();
    await upload(
      () => given({ ...sendable(1), prior: prior ?? "none" }),
      { ledger, steps, clock: fakeClock(), random: () => 0.5, onProgress: () => undefined },
      { run: "run", concurrency: 1, drain: never, abort: never },
    );
    return ledger.settlements;
  }

  test("may have been done with other content, so the record is `existing`, and the step is repeated after a crash", async () => {
    const [staged, processed] = await stagedAndProcessed("none");
    expect(staged).toMatchObject({ status: "pending" });
    expect(staged).not.toHaveProperty("step");
    expect(staged).toMatchObject({ mayHoldOther: true });
    expect(processed).toMatchObject({ status: "existing", account: "A-1" });
  });

  test("may still have been done with other content if the next step had no clear reply", async () => {
    const replies = [AMBIGUOUS, EXISTS];
    const steps: readonly StepClient[] = [
      { name: "stage", idempotent: true, dedupesByKey: false, send: answering(STEP_WAS_DONE) },
      {
        name: "process",
        idempotent: false,
        dedupesByKey: true,
        send: () => Promise.resolve(replies.shift() ?? EXISTS),
      },
    ];
    const ledger = fakeLedger();
    await upload(
      () => given(sendable(1)),
      { ledger, steps, clock: fakeClock(), random: () => 0.5, onProgress: () => undefined },
      { run: "run", concurrency: 1, drain: never, abort: never },
    );
    expect(replies).toEqual([]);
    expect(ledger.settlements.at(-1)).toMatchObject({ status: "existing", account: "A-7" });
  });

  test("counts as done with this record's content if an earlier request sent this content", async () => {
    const [staged, processed] = await stagedAndProcessed("same");
    expect(staged).toMatchObject({ status: "pending", step: "stage" });
    expect(staged).not.toHaveProperty("mayHoldOther");
    expect(processed).toMatchObject({ status: "accepted" });
  });
});

describe("a poll that finds the record", () => {
  const never = new AbortController().signal;

  async function polled(prior: RecordToSend["prior"]): Promise<AttemptOutcome | undefined> {
    const step: StepClient = {
      name: "schedule",
      idempotent: false,
      dedupesByKey: false,
      send: answering(DONE),
      status: { poll: answering(ACCEPTED), intervalMs: 10, timeoutMs: 1000 },
    };
    const ledger = fakeLedger();
    await upload(
      () => given({ ...sendable(1), isAmbiguous: true, prior: prior ?? "none" }),
      { ledger, steps: [step], clock: fakeClock(), random: () => 0.5, onProgress: () => undefined },
      { run: "run", concurrency: 1, drain: never, abort: never },
    );
    return ledger.settlements.at(-1);
  }

  test("accepts the record if only this content was sent", async () => {
    expect(await polled("same")).toMatchObject({ status: "accepted", account: "A-1" });
  });

  test("leaves the record ambiguous if different content was sent earlier", async () => {
    expect(await polled("other")).toMatchObject({
      status: "ambiguous",
      reason: expect.stringMatching(/different content was sent earlier/),
    });
  });
});
