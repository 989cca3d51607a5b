import { expect, onTestFinished, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import type { Job } from "../../../src/job/job.ts";
import { compileFastPath, type ScanPurpose } from "../../../src/pipeline/bytes/compile-fast-path.ts";
import { piecesIn } from "../../../src/pipeline/bytes/chunk-pieces.ts";
import type { FastPathResult } from "../../../src/pipeline/bytes/scan-records.ts";
import type { ChunkFile } from "../../../src/read/chunks/record-chunk.ts";
import { csvHeader } from "../../../src/read/csv/csv-header.ts";
import { createByteList } from "../../../src/text/byte-list.ts";
import { operation as operationOf } from "../../map/rows.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { list, object, text } from "../../validate/field-types.ts";
import { openFolder } from "./open-folder.ts";

const CONTRACT = `
openapi: 3.0.3
info: { title: Small, version: "1" }
paths:
  /data-import/things/:
    post:
      operationId: import-thing
      x-migrate-key: ref
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } }
      responses: { "201": { description: made } }
components:
  schemas:
    Thing:
      type: object
      properties: { ref: { type: string }, name: { type: string }, file: { type: string, x-document-path: true } }
`;
const MAPPING =
  "operation: import-thing\nsources: { things: { files: things.csv } }\npayload: { ref: REF, name: NAME }\n";

async function openThings(): Promise<Job> {
  const files = { "contract.yaml": CONTRACT, "mapping.yaml": MAPPING, "things.csv": "REF,NAME\nA1,Ann\nA2,\n" };
  const job = await openFolder(temporaryFolder(files));
  onTestFinished(() => job.input.close());
  return job;
}

function purposes(): readonly ScanPurpose[] {
  const texts = createByteList();
  const identifiedBy = { kind: "send", endpoint: "POST localhost/things", supplier: "S1" } as const;
  return [{ kind: "validate" }, { kind: "plan", texts, identifiedBy }, { kind: "reread", texts }];
}

type Change = (job: Job) => Job;

function withBody(body: FieldType | undefined): Change {
  return (job) => ({ ...job, operation: operationOf(body, "ref") });
}

/** Declares that the payload contains the supplier, and that some suppliers have a root location. */
const withRoots: Change = ({ operation, settings, ...job }) => ({
  ...job,
  operation: { ...operation, supplier: ["name"] },
  settings: { ...settings, documentRoots: { S1: "one" } },
});

const BODY = object({ ref: text(), name: text() });
const FAST = { validate: true, plan: true, reread: true };
const SLOW = { validate: false, plan: false, reread: false };

test.each<readonly [string, Change, typeof FAST]>([
  ["no special setting", (job) => job, FAST],
  [
    "a selection of records",
    ({ settings, ...job }) => ({ ...job, settings: { ...settings, only: [] } }),
    { ...SLOW, reread: true },
  ],
  [
    "assertions about the payload",
    withBody({ ...BODY, assertions: [{ schema: {}, unevaluated: false }] }),
    { ...SLOW, reread: true },
  ],
  [
    "no key",
    ({ mapping, ...job }) => ({ ...job, mapping: { ...mapping, keyAttr: undefined } }),
    { ...FAST, plan: false },
  ],
  [
    "records that wait for other records",
    (job) => ({ ...job, after: { operation: job.operation, key: ["ref"], isOwnKey: true, isOwnOperation: false } }),
    { ...FAST, plan: false },
  ],
  [
    "a mapping without a compiled payload",
    ({ mapping, ...job }) => ({ ...job, mapping: { ...mapping, payloadNode: undefined } }),
    SLOW,
  ],
  ["no payload type", withBody(undefined), SLOW],
  ["payloads that are lists", withBody(list(text())), SLOW],
  ["a root location that depends on the supplier in the payload", withRoots, SLOW],
  [
    "root locations and no supplier in the payload",
    ({ settings, ...job }) => ({ ...job, settings: { ...settings, documentRoots: { S1: "one" } } }),
    FAST,
  ],
  [
    "a supplier in the payload and no root locations",
    ({ operation, ...job }) => ({ ...job, operation: { ...operation, supplier: ["name"] } }),
    FAST,
  ],
  ["root locations and no document paths", (job) => withRoots(withBody(BODY)(job)), FAST],
  [
    "root locations and document paths that are full keys",
    (job) => withRoots(withBody(object({ name: text({ documentPath: "key" }) }))(job)),
    FAST,
  ],
])("a job with %s has a fast path for the expected purposes", async (_, change, expected) => {
  const job = change(await openThings());
  const found = purposes().map((purpose) => [purpose.kind, compileFastPath(job, purpose) !== undefined]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

function csvFile(columns: readonly string[]): ChunkFile {
  const header = csvHeader({ file: "things.csv", line: 1 }, columns, new Map());
  return { kind: "csv", keys: [], layout: { header, delimiter: ",", headerByte: 0 } };
}

const NDJSON: ChunkFile = {
  kind: "ndjson",
  keys: [],
  table: { kind: "json", file: "things.ndjson" },
  jsonRecordBytes: 99,
};

test.each<readonly [string, ChunkFile, boolean]>([
  ["the columns of the mapping", csvFile(["REF", "NAME", "MORE"]), true],
  ["an error column of a rejects file", csvFile(["REF", "NAME", "migrate_error"]), false],
  ["a missing column", csvFile(["REF"]), false],
  ["JSON records", NDJSON, true],
  ["JSON records that must have a key", { ...NDJSON, keys: ["REF"] }, false],
])("a file has a scanner only if its records can be read on the fast path: %s", async (_, file, hasScanner) => {
  const job = await openThings();
  for (const purpose of purposes()) expect(compileFastPath(job, purpose)?.(file, []) !== undefined).toBe(hasScanner);
});

test("a file has no scanner if no entry of the mapping is the key", async () => {
  const { mapping, ...job } = await openThings();
  const otherKey = { ...job, mapping: { ...mapping, keyAttr: ["file"] } };
  expect(compileFastPath(otherKey, { kind: "validate" })?.(csvFile(["REF", "NAME"]), [])).toBeUndefined();
});

async function scanned(job: Job, purpose: ScanPurpose): Promise<FastPathResult> {
  const { chunked } = job.input;
  const [file] = chunked?.files ?? [];
  const scan = file && compileFastPath(job, purpose)?.(file, []);
  if (chunked === undefined || scan === undefined) throw new Error("the job has a fast path");
  const results: FastPathResult[] = [];
  for await (const chunk of chunked.chunks())
    for (const piece of piecesIn(chunk, chunked)) results.push(scan(piece, { isFirstOnBothPaths: false }));
  const [result] = results;
  if (result === undefined || results.length > 1) throw new Error("the file is one piece");
  return result;
}

test("records without a key have no content number, but are also on the fast path", async () => {
  const job = await openThings();
  const { items, others } = await scanned(job, { kind: "validate" });
  const withoutKey = { ...job, mapping: { ...job.mapping, keyAttr: undefined } };
  const keyless = await scanned(withoutKey, { kind: "validate" });
  expect([others, keyless.others]).toEqual([[], []]);
  expect([1, 2].map((number) => items.contents[number])).not.toContain(Number.NaN);
  expect([1, 2].map((number) => keyless.items.contents[number])).toEqual([Number.NaN, Number.NaN]);
});

test("payloads are written for a run that sends, but have hashes only while the run is planned", async () => {
  const job = await openThings();
  for (const purpose of purposes().slice(1)) {
    const { items, textStarts, textEnds } = await scanned(job, purpose);
    const bytes = purpose.kind === "validate" ? [] : purpose.texts.take();
    const texts = [1, 2].map((number) => Buffer.from(bytes.slice(textStarts[number], textEnds[number])).toString());
    expect(texts).toEqual(['{"name":"Ann","ref":"A1"}', '{"ref":"A2"}']);
    expect([purpose.kind, items.hashes !== undefined, items.rowHashes.length > 0]).toEqual(
      purpose.kind === "plan" ? ["plan", true, true] : ["reread", false, false],
    );
  }
});
