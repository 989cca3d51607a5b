import { expect, test } from "vitest";
import type { Operation } from "../../src/contract/operations/operation.ts";
import type { Outcome, Summary } from "../../src/model/outcome.ts";
import type { HttpReply, HttpRequest } from "../../src/transport/http.ts";
import { createWitness, type Witness } from "./invariants.ts";
import type { HeldAccount } from "./model-platform.ts";
import { hex } from "./killable-ledger.ts";
import { identityOf, type SimulatedRecord } from "./simulated-record.ts";

const operation: Operation = {
  id: "x",
  method: "POST",
  path: "/x/",
  dedupesByKey: false,
  replies: [],
  outcomes: [],
  steps: [],
  readBack: [],
};
const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
const request: HttpRequest = {
  method: "POST",
  url: new URL("https://platform.example/v1/data-import/accounts/"),
  headers: {},
  body: '{"external_account_number":"A"}',
};
const busy: HttpReply = { status: 429, headers: { "retry-after": "1" }, body: "", complete: true, durationMs: 1 };

const records: readonly SimulatedRecord[] = [{ record: 1, key: "A", isBad: false }];
const CHANGED: readonly SimulatedRecord[] = [{ record: 1, key: "A", isBad: false, version: 2 }];
const changedRequest: HttpRequest = {
  ...request,
  body: '{"external_account_number":"A","billing_name":"good A version 2"}',
};

function witnessOf(accounts: readonly HeldAccount[] = []): Witness {
  const arrivals = accounts.map(({ key }) => ({ at: 0, key, path: "/x/", isAuthorised: true }));
  return createWitness({
    platform: { accounts, arrivals },
    records,
    operation,
    onRepeat: "create",
    concurrency: 1,
    clock,
  });
}

const account: HeldAccount = { key: "A", number: "A-1", content: "good A" };

function outcome(status: Outcome["status"], record = 1): Outcome {
  return { record, key: "A", status, source: { file: "a.csv", line: 2 }, problems: [] };
}

function checkOutcomes(
  witness: Witness,
  outcomes: readonly Outcome[],
  counts: Summary["counts"] = {},
  rows = records,
): void {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  witness.checkOutcomes(outcomes, {
    unsaved: 0,
    rows,
    summary: { records: sum, counts, errors: {}, warnings: {}, exitCode: 0 },
  });
}

const VIOLATIONS: readonly (readonly [
  invariant: string,
  violate: (witness: Witness) => void,
  held?: readonly HeldAccount[],
])[] = [
  ["I1", (witness) => checkOutcomes(witness, [], { accepted: 1 })],
  ["I2", (witness) => witness.requestSent(request)],
  ["I3", (witness) => checkOutcomes(witness, [outcome("accepted")], { accepted: 1 })],
  [
    "I4",
    (witness) => {
      checkOutcomes(witness, [outcome("accepted")], { accepted: 1 });
      checkOutcomes(witness, [outcome("pending")], { pending: 1 });
    },
    [account],
  ],
  ["I5", (witness) => checkOutcomes(witness, [outcome("pending")], { pending: 2 })],
  ["I6", () => undefined, [account]],
  [
    "I7",
    (witness) => {
      checkOutcomes(witness, [outcome("accepted")], { accepted: 1 });
      witness.requestSent(changedRequest);
    },
    [account],
  ],
  ["I11", (witness) => checkOutcomes(witness, [outcome("skipped")], { skipped: 1 }, CHANGED), [account]],
  ["nothing lost", (witness) => checkOutcomes(witness, [outcome("rejected")], { rejected: 1 }, CHANGED), [account]],
  ["nothing lost", (witness) => checkOutcomes(witness, [outcome("pending")], { pending: 1 }), [account]],
  ["nothing twice", () => undefined, [account, { ...account, number: "A-2" }]],
  [
    "P9",
    (witness) => {
      witness.requestSent(request);
      witness.requestEnded(request, busy);
      witness.requestSent(request);
    },
  ],
  [
    "P14",
    (witness) => {
      witness.drained();
      witness.recordTaken("A");
    },
  ],
  [
    "P14",
    (witness) => {
      witness.drained();
      witness.requestSent(request);
    },
  ],
  [
    "concurrency",
    (witness) => {
      witness.requestSent(request);
      witness.requestSent(request);
    },
  ],
  [
    "P5",
    (witness) => {
      for (const key of "abcde") witness.durable.sending.set(key, { harmless: false });
      witness.begin();
    },
  ],
];

test.each(VIOLATIONS.map(([invariant, violate, held = []]) => ({ invariant, violate, held })))(
  "the witness reports a violation of invariant $invariant",
  ({ invariant, violate, held }) => {
    const witness = witnessOf(held);
    violate(witness);
    expect(witness.violations().map((violation) => violation.invariant)).toContain(invariant);
  },
);

test("records that were ambiguous before a process started are not attributed to the kill of that process", () => {
  const witness = witnessOf();
  const keys = ["A", "B", "C", "D", "E"];
  for (const [index, key] of keys.entries()) checkOutcomes(witness, [{ ...outcome("ambiguous", index + 1), key }]);
  for (const key of keys) witness.durable.sending.set(hex(identityOf(key, operation)), { harmless: false });
  witness.begin();
  expect(witness.violations().map((violation) => violation.invariant)).not.toContain("P5");
});

test("a changed record may be refused while the platform has its accepted version", () => {
  const witness = witnessOf([account]);
  checkOutcomes(witness, [outcome("accepted")], { accepted: 1 });
  checkOutcomes(witness, [outcome("invalid")], { invalid: 1 }, CHANGED);
  const broken = witness.violations().map(({ invariant }) => invariant);
  expect(broken.filter((invariant) => invariant !== "I6")).toEqual([]);
});
