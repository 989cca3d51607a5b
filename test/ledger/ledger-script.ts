import fc from "fast-check";
import type { AttemptOutcome } from "../../src/ledger/records/requests.ts";
import type { NewRun } from "../../src/ledger/records/run.ts";
import type { PlannedItem, PlanPolicy } from "../../src/ledger/records/planned-item.ts";
import { contentHash, recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import type { Problem } from "../../src/model/problem.ts";
import { POLICY, PUSH } from "./ledger-input.ts";
import type {
  Note,
  ProcessStep,
  ScriptedDecision,
  ScriptedPlan,
  ScriptedReply,
  ScriptedRequest,
  Step,
} from "./script-steps.ts";

/** Keys, many of which are equal or similar. Some keys need escapes or are not valid Unicode. */
const KEYS = ["A1", "a1", "A-1", "7", "007", "7.0", "1E3", "1000", "É", "E\u0301", "01/02/2010", "Feb-10", "'B2", "B2"];
const ODD_KEYS = ["1234567890123456789", "1234567890123450000", "1.23E+18", 'q"\\', "\u200b", "😀", "a\ud800b", ""];
const CONTENTS = ["same", "same", "same", "other", "third"].map((content) => contentHash({ content }));
const FILES = ["a.csv", "a.csv", "b.csv"];

const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_KEYS) },
  { weight: 8, arbitrary: fc.nat(30).map((number) => `N${number}`) },
);
const content = fc.constantFrom(...CONTENTS);
const rarely = fc.constantFrom(false, false, false, false, false, true);
const step = fc.constantFrom(undefined, undefined, "first", "second");

const problem: fc.Arbitrary<Problem> = fc
  .record({
    code: fc.constantFrom("required", "invalid", "älter"),
    severity: fc.constantFrom("error" as const, "warning" as const),
    unlisted: fc.constantFrom(undefined, undefined, 3),
  })
  .map(({ unlisted, ...found }) => ({
    attr: "customers.0.näme",
    by: "platform",
    detail: "not \u2028 so",
    place: { file: "b.csv", line: 7, column: "N", columnNumber: 1 },
    value: "secret",
    ...found,
    ...(unlisted !== undefined && { unlisted }),
  }));
const problems = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(problem, { maxLength: 3 }) },
);

const policy: fc.Arbitrary<PlanPolicy> = fc
  .record({
    revise: rarely,
    newKeys: fc.constantFrom(undefined, false, true, true),
    resendAmbiguous: rarely,
    after: fc.constantFrom(undefined, undefined, "import-account"),
    awaitsOwnKey: rarely,
  })
  .map((found) => ({ ...POLICY, ...found }));

const DESTINATIONS = [
  { supplier: PUSH.supplier, endpoint: PUSH.endpoint },
  { supplier: PUSH.supplier, endpoint: PUSH.endpoint },
  { supplier: PUSH.supplier, endpoint: PUSH.endpoint },
  { supplier: "OTHER", endpoint: PUSH.endpoint },
  { supplier: PUSH.supplier, endpoint: "POST platform.example/v1/data-import/meters" },
] as const;

/** `startedAt` is set when the run starts. */
const newRun: fc.Arbitrary<NewRun> = fc
  .record({
    destination: fc.constantFrom(...DESTINATIONS),
    kind: fc.constantFrom("push", "push", "push", "dry", "validate"),
  })
  .map(({ destination, kind }) =>
    kind === "validate"
      ? { ...PUSH, command: "validate", target: "", supplier: "", endpoint: "", startedAt: "" }
      : { ...PUSH, ...destination, dryRun: kind === "dry", startedAt: "" },
  );

const plannedRecord = fc.record({
  key: fc.option(key, { nil: undefined, freq: 20 }),
  content,
  file: fc.constantFrom(...FILES),
  line: fc.integer({ min: 1, max: 30 }),
  isInvalid: rarely,
  problems,
  awaits: fc.option(key, { nil: undefined, freq: 2 }),
  rowHash: fc.option(fc.nat(20), { nil: undefined, freq: 2 }),
  /** Number of preceding records that `--only` excludes. */
  gap: fc.constantFrom(0, 0, 0, 5),
});
type PlannedRecord = typeof plannedRecord extends fc.Arbitrary<infer Value> ? Value : never;

const scriptedPlan: fc.Arbitrary<ScriptedPlan> = fc
  .record({
    run: newRun,
    records: fc.array(fc.array(plannedRecord, { maxLength: 12 }), { maxLength: 3 }),
    excluded: fc.array(fc.record({ file: fc.constantFrom(...FILES), line: fc.integer({ min: 1, max: 30 }), problem }), {
      maxLength: 2,
    }),
    policy,
    isFinished: rarely.map((isCut) => !isCut),
  })
  .map(({ records, ...plan }) => {
    let number = 0;
    const batches = records.map((batch) =>
      batch.map(({ gap, ...record }) => {
        number += 1 + gap;
        return plannedItem(number, record, plan.run);
      }),
    );
    return { ...plan, batches };
  });

function plannedItem(number: number, planned: Omit<PlannedRecord, "gap">, run: NewRun): PlannedItem {
  const { isInvalid, awaits, ...record } = planned;
  const sends = run.command === "push";
  const identityOf = (known: string): Uint8Array =>
    recordIdentity({ supplier: run.supplier, endpoint: run.endpoint, key: known });
  return {
    ...record,
    record: number,
    identity: sends && record.key !== undefined ? identityOf(record.key) : undefined,
    content: sends ? record.content : (record.content[0] ?? 0),
    status: isInvalid || record.key === undefined ? "invalid" : "valid",
    ...(sends && awaits !== undefined && { awaits: identityOf(awaits) }),
    rowHash: sends ? record.rowHash : undefined,
  };
}

const account = fc.constantFrom("new" as const, "new" as const, "new" as const, "none" as const, "shared" as const);
const reply: fc.Arbitrary<ScriptedReply> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constant<ScriptedReply>({
      status: "accepted",
      account: "new",
      problems: [],
      http: 201,
      durationMs: 12.5,
    }),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        status: fc.constantFrom<AttemptOutcome["status"][]>(
          "accepted",
          "rejected",
          "existing",
          "ambiguous",
          "blocked",
          "pending",
          "valid",
        ),
        account: fc.oneof(account, fc.constant("shared, known before" as const)),
        problems,
        http: fc.constantFrom(200, 400, 503),
        durationMs: fc.constantFrom(0, 41, 0.25),
        step,
        isUncertain: rarely,
        mayRepeat: fc.constantFrom(undefined, undefined, true, false),
        reason: fc.constantFrom(undefined, "timeout"),
      })
      .map(({ step: done, reason, isUncertain, mayRepeat, ...found }) => ({
        ...found,
        // An accepted record has the content that was sent.
        mayHoldOther: isUncertain && found.status !== "accepted",
        ...(mayRepeat !== undefined && found.status === "rejected" && { partial: { mayRepeat } }),
        ...(done !== undefined && { step: done }),
        ...(reason !== undefined && { reason }),
      })),
  },
);
const replies = fc.array(reply, { maxLength: 8 });

const decision: fc.Arbitrary<ScriptedDecision> = fc.record({
  decision: fc.constantFrom("accepted", "rejected", "resend"),
  account,
  isNewAccount: fc.boolean(),
});

const journaled: fc.Arbitrary<ScriptedRequest> = fc
  .record({
    key,
    destination: fc.constantFrom(...DESTINATIONS),
    content,
    later: fc.constantFrom(0, 1, 1, 2),
    idempotent: rarely,
    isPoll: rarely,
    rowMark: fc.option(fc.nat(20), { nil: undefined }),
  })
  .map(({ key: known, destination, ...request }) => ({
    ...request,
    identity: recordIdentity({ ...destination, key: known }),
  }));

const processStep: fc.Arbitrary<ProcessStep> = fc.oneof(
  fc.record({ does: fc.constantFrom("finish" as const, "restart" as const, "open a second writer" as const) }),
  fc.record({
    does: fc.constant("take over" as const),
    run: fc.nat(2),
    policy,
    firstCloses: fc.constantFrom("at once" as const, "at the end" as const),
  }),
);

const note: fc.Arbitrary<Note> = fc.oneof(
  fc.record({
    does: fc.constant("note a position" as const),
    record: fc.integer({ min: 1, max: 20 }),
    file: fc.constantFrom(...FILES),
  }),
  fc.record({
    does: fc.constantFrom("exclude" as const, "exclude" as const, "end exclusions" as const),
    keys: fc.array(key, { minLength: 1, maxLength: 6 }),
  }),
  fc.record({
    does: fc.constant("verify" as const),
    run: fc.nat(2),
    results: fc.array(fc.constantFrom("same" as const, "different" as const, "absent" as const), {
      minLength: 1,
      maxLength: 6,
    }),
  }),
);

const otherStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("send" as const),
      records: fc.integer({ min: 1, max: 12 }),
      idempotent: rarely,
      polls: rarely,
      step,
      replies: fc.oneof(fc.constant([]), replies),
    }),
  },
  { weight: 6, arbitrary: fc.record({ does: fc.constant("receive" as const), replies }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("repeat the last intents or outcomes" as const),
      what: fc.constantFrom("intents" as const, "outcomes" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom("resume" as const, "refresh" as const), run: fc.nat(2), policy }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("decide" as const),
      decisions: fc.array(decision, { minLength: 1, maxLength: 4 }),
      policy,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("recover" as const),
      requests: fc.array(journaled, { maxLength: 4 }),
      isUncertain: rarely,
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("note" as const), what: note }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("process work" as const), what: processStep }) },
);

const planStep: fc.Arbitrary<Step> = fc.record({ does: fc.constant("plan" as const), plan: scriptedPlan });

/** Several runs over the same keys, by several processes, one after another. */
export const ledgerScript: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(planStep, fc.array(otherStep, { maxLength: 6 })), { minLength: 1, maxLength: 5 })
  .map((runs) => runs.flatMap(([first, rest]) => [first, ...rest]));
