import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { completedStep } from "../../../src/contract/operations/completed-step.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { SendableItem } from "../../../src/ledger/records/requests.ts";
import type { PayloadGroup } from "../../../src/pipeline/send/payload-group.ts";
import { recordsToSend } from "../../../src/pipeline/send/records-to-send.ts";
import { createLeftRecords, type LeftRecords } from "../../../src/pipeline/shared/left-records.ts";
import { compile, object, text } from "../../map/rows.ts";

const source = readFileSync(new URL("../../../fixtures/workflows/contract.yaml", import.meta.url), "utf8");
const operation = findOperation(loadContract([{ file: "contract.yaml", text: source }]), "stage-account");
const job = { operation, mapping: compile("payload: { a: A }", object({ a: text })) };
const until = "stage";

const bytes = new Uint8Array(32);
const facts = { record: 1, identity: bytes, content: bytes, attempts: 2, isAmbiguous: false, prior: "same" } as const;
const stagedWith = (fields: ReadonlyMap<string, { team: string }> | undefined): SendableItem => ({
  ...facts,
  step: completedStep(operation.steps.slice(0, 2), fields),
});
const current = stagedWith(undefined);
const earlier = stagedWith(new Map([["stage", { team: "RED" }]]));

async function* groups(): AsyncGenerator<PayloadGroup> {
  yield { first: 1, last: 1, payload: () => Buffer.from("{}"), row: () => undefined, isReread: false };
}

/** Returns the numbers of the records to send if the ledger contains this record, whose stage step has no fields. */
async function due(item: SendableItem, { noteDue }: LeftRecords): Promise<readonly number[]> {
  const handle = { ledger: { sendable: async () => [item] }, run: { id: "run" } };
  const records: number[] = [];
  for await (const batch of recordsToSend(groups(), { job, handle, until, noteDue }))
    records.push(...batch.map(({ record }) => record));
  return records;
}

test("a record staged with other step fields is left until it is staged again", async () => {
  const left = createLeftRecords({ job, until });
  expect(await due(earlier, left)).toEqual([1]);
  expect(left.isLeft(earlier)).toBe(true);
  expect(left.isLeft(current)).toBe(false);
});

test("a record staged with these step fields is not left", async () => {
  const left = createLeftRecords({ job, until });
  expect(await due(current, left)).toEqual([]);
  expect(left.isLeft(current)).toBe(false);
});
