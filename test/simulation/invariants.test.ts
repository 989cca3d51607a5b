import { expect, test } from "vitest";
import type { Operation } from "../../src/contract/operations/operation.ts";
import type { Outcome, Summary } from "../../src/model/outcome.ts";
import type { HttpReply, HttpRequest } from "../../src/transport/http.ts";
import { createWitness, type Witness } from "./invariants.ts";
import type { HeldAccount } from "./model-platform.ts";
import { hex } from "./mortal-ledger.ts";
import { identityOf } from "./simulated-record.ts";

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

function witnessOf(accounts: readonly HeldAccount[] = []): Witness {
  const records = [{ record: 1, key: "A", isBad: false }];
  const arrivals = accounts.map(({ key }) => ({ at: 0, key, path: "/x/", isLetIn: true }));
  return createWitness({ platform: { accounts, arrivals }, records, operation, concurrency: 1, clock });
}

const account: HeldAccount = { key: "A", number: "A-1", content: "good" };

function outcome(status: Outcome["status"], record = 1): Outcome {
  return { record, key: "A", status, source: { file: "a.csv", line: 2 }, problems: [] };
}

function hear(witness: Witness, outcomes: readonly Outcome[], counts: Summary["counts"] = {}): void {
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0);
  witness.hear(outcomes, { unsaved: 0, summary: { records, counts, errors: {}, warnings: {}, exitCode: 0 } });
}

const SINS: readonly (readonly [invariant: string, sin: (witness: Witness) => void, held?: readonly HeldAccount[]])[] =
  [
    ["I1", (witness) => hear(witness, [], { accepted: 1 })],
    ["I2", (witness) => witness.leaves(request)],
    ["I3", (witness) => hear(witness, [outcome("accepted")], { accepted: 1 })],
    [
      "I4",
      (witness) => {
        hear(witness, [outcome("accepted")], { accepted: 1 });
        hear(witness, [outcome("pending")], { pending: 1 });
      },
      [account],
    ],
    ["I5", (witness) => hear(witness, [outcome("pending")], { pending: 2 })],
    ["I6", () => undefined, [account]],
    ["nothing lost", (witness) => hear(witness, [outcome("pending")], { pending: 1 }), [account]],
    ["nothing twice", () => undefined, [account, { ...account, number: "A-2" }]],
    [
      "P9",
      (witness) => {
        witness.leaves(request);
        witness.over(request, busy);
        witness.leaves(request);
      },
    ],
    [
      "P14",
      (witness) => {
        witness.drained();
        witness.takenUp("A");
      },
    ],
    [
      "P14",
      (witness) => {
        witness.drained();
        witness.leaves(request);
      },
    ],
    [
      "concurrency",
      (witness) => {
        witness.leaves(request);
        witness.leaves(request);
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

test.each(SINS.map(([invariant, sin, held = []]) => ({ invariant, sin, held })))(
  "a breach of the invariant $invariant is noticed",
  ({ invariant, sin, held }) => {
    const witness = witnessOf(held);
    sin(witness);
    expect(witness.complaints().map((complaint) => complaint.invariant)).toContain(invariant);
  },
);

test("what was ambiguous before a process began is not counted against the kill that ended it", () => {
  const witness = witnessOf();
  const keys = ["A", "B", "C", "D", "E"];
  for (const [index, key] of keys.entries()) hear(witness, [{ ...outcome("ambiguous", index + 1), key }]);
  for (const key of keys) witness.durable.sending.set(hex(identityOf(key, operation)), { harmless: false });
  witness.begin();
  expect(witness.complaints().map((complaint) => complaint.invariant)).not.toContain("P5");
});
