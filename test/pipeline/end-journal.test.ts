import { expect, test } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import { endJournal } from "../../src/pipeline/send/send-records.ts";
import type { UploadEnd } from "../../src/upload/upload-types.ts";

const FULL = new Failure("storage", "the journal cannot be written");
const UNSAVED = {
  record: 1,
  identity: new Uint8Array(32),
  attempt: 1,
  status: "accepted",
  problems: [],
  at: "2026-01-01T00:00:00.000Z",
} as const;

function endOnFullDisk(end: UploadEnd): Promise<UploadEnd> {
  return endJournal({ end: () => Promise.reject(FULL) }, end);
}

test("a journal that cannot be ended keeps the outcomes that the ledger could not save", async () => {
  const failure = new Failure("storage", "the ledger cannot be written");
  const end: UploadEnd = { reason: "stopped", failure, counts: {}, unsaved: [UNSAVED] };
  expect(await endOnFullDisk(end)).toEqual(end);
});

test("a journal that cannot be ended fails a complete upload", async () => {
  const end: UploadEnd = { reason: "done", counts: { accepted: 3 }, unsaved: [] };
  expect(await endOnFullDisk(end)).toEqual({ ...end, reason: "stopped", failure: FULL });
});
