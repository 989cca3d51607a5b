import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import { isPacked, packItems, unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import { checkedRecords } from "../../../src/migrate.ts";
import { compilePlainRecords } from "../../../src/pipeline/bytes/plain-records.ts";
import type { ItemSettings, PlannedBatch } from "../../../src/pipeline/plan/plan-items.ts";
import { planItems } from "../../../src/pipeline/plan/plan-records.ts";
import { checkChunksHere } from "../../../src/pipeline/threads/check-in-threads.ts";
import { joinedPiece } from "../../../src/read/join/bytes/joined-piece.ts";
import { createByteList } from "../../../src/text/byte-list.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openFolder } from "./open-folder.ts";

const CONTRACT = `
openapi: 3.0.3
info: { title: Small, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: import-account
      x-migrate-key: ref
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Account" } } }
      responses: { "201": { description: made } }
components:
  schemas:
    Account:
      type: object
      required: [ref, people]
      properties:
        ref: { type: string, maxLength: 8 }
        name: { type: string, maxLength: 6 }
        count: { type: string }
        people: { type: array, maxItems: 4, items: { $ref: "#/components/schemas/Person" } }
        sites:
          type: array
          items:
            type: object
            properties:
              street: { type: string }
              meters: { type: array, items: { $ref: "#/components/schemas/Meter" } }
    Person:
      type: object
      required: [last]
      properties:
        first: { type: string }
        last: { type: string, maxLength: 8 }
        account: { type: string }
        born: { type: string, format: date }
    Meter:
      type: object
      required: [id]
      properties: { id: { type: string }, kind: { type: string, enum: [GAS, POWER] } }
`;

const MAPPING = `
operation: import-account
sources:
  accounts: { files: accounts.csv, key: REF }
  people: { files: [people.csv, more.csv], parent: accounts, on: REF, orderBy: SEQ }
  meters: { files: meters.csv, parent: accounts, on: ACC }
payload:
  ref: REF
  name: NAME
  people:
    each: people
    item: { first: FIRST, last: LAST, born: { from: BORN, date: dd/MM/yyyy } }
  sites:
    - street: NAME
      meters:
        each: meters
        item: { id: ID, kind: { from: KIND, lookup: { G: GAS, P: POWER } } }
`;

/** Others that have to come to the same, each for a reason of its own. */
const MAPPINGS = [
  MAPPING,
  MAPPING.replace("orderBy: SEQ", "orderBy: { column: SEQ, as: number }"),
  MAPPING.replace("first: FIRST", "first: FIRST, account: parent.NAME"),
  MAPPING.replace("each: meters", 'each: meters\n        when: { column: KIND, in: ["G"] }'),
  MAPPING.replace("    - street: NAME\n      meters:", "    - street: { from: [NAME, REF], join: / }\n      meters:"),
  // No list is made of the meters.
  MAPPING.slice(0, MAPPING.indexOf("  sites:")),
];

const HEADERS = {
  "accounts.csv": "REF,NAME",
  "people.csv": "REF,SEQ,FIRST,LAST,BORN",
  "more.csv": "SEQ;REF;LAST;FIRST;BORN",
  "meters.csv": "ID,ACC,KIND",
};

const reference = fc.oneof(
  { weight: 20, arbitrary: fc.nat(12).map((number) => `A${number}`) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "a1", " A1", "00A1", '"A2"', '"A""3"', "Ä4", "A\u00a05", "X9") },
);
const text = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom("Ann", "Bob", "Cy") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", '"Ann"', '"a, b"', '"a ""b"""', "Zoë", "long enough", "a\u0007", '"', 'x"y'),
  },
);
const seq = fc.constantFrom("1", "2", "2", "10", "", "x", '"1"');
const born = fc.constantFrom("01/02/1990", "31/12/2001", "", "31/02/1990");
const kind = fc.constantFrom("G", "P", "P", "", "Z");

function lines(cells: readonly fc.Arbitrary<string>[], delimiter = ","): fc.Arbitrary<readonly string[]> {
  const line = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(...cells).map((row) => row.join(delimiter)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", "  ", '""', "A1", ["A1", "A1", "A1", "A1", "A1", "A1"].join(delimiter)),
    },
  );
  return fc.array(line, { maxLength: 25 });
}

const files = fc
  .record({
    accounts: fc.uniqueArray(reference, { minLength: 4, maxLength: 12 }),
    twice: fc.constantFrom("", "", "A1,Ann"),
    names: fc.array(text, { minLength: 12, maxLength: 12 }),
    people: lines([reference, seq, text, text, born]),
    more: lines([seq, reference, text, text, born], ";"),
    meters: lines([fc.nat(5).map(String), reference, kind]),
    end: fc.constantFrom("\n", "\r\n"),
    isEnded: fc.boolean(),
    isSorted: fc.boolean(),
  })
  .map(({ accounts, twice, names, people, more, meters, end, isEnded, isSorted }) => {
    const own = accounts.map((ref, index) => `${ref},${names[index] ?? ""}`);
    const written = (header: string, rows: readonly string[]): string =>
      [header, ...(isSorted ? rows.toSorted() : rows)].join(end) + (isEnded ? end : "");
    return {
      "accounts.csv": written(HEADERS["accounts.csv"], [...own, twice]),
      "people.csv": written(HEADERS["people.csv"], people),
      "more.csv": written(HEADERS["more.csv"], more),
      "meters.csv": written(HEADERS["meters.csv"], meters),
    };
  });

const ITEMS = { endpoint: "", supplier: "" };
/** Of a run that sends. */
const SENT_ITEMS = { endpoint: "POST localhost/accounts", supplier: "S1" };

/** Everything that is planned, and the failure that ends it. */
async function planned(batches: AsyncIterable<PlannedBatch>): Promise<unknown> {
  const items: unknown[] = [];
  const invalid: unknown[] = [];
  const excluded: unknown[] = [];
  try {
    for await (const batch of batches) {
      const packed = isPacked(batch.items) ? batch.items : packItems(batch.items);
      const first = items.length;
      items.push(...unpackItems(packed));
      invalid.push(...batch.invalid.map((position) => first + position));
      excluded.push(...batch.excluded.map(({ position, row }) => ({ position: first + position, row })));
    }
  } catch (error) {
    return String(error);
  }
  return { items, invalid, excluded };
}

function joinedBytes(job: Job, items: ItemSettings): AsyncIterable<PlannedBatch> {
  const { joined } = job.input;
  if (joined === undefined) throw new Error("the input is not joined as bytes");
  const { signal } = new AbortController();
  return checkChunksHere(job, joined, { items, shownValues: undefined, signal });
}

function joinedRows(job: Job, items: ItemSettings): AsyncIterable<PlannedBatch> {
  const { signal } = new AbortController();
  return planItems(checkedRecords(job, { signal, shownValues: undefined }), job, items);
}

test("records that are joined as bytes are planned as if their rows were joined", async () => {
  const folder = temporaryFolder({ "contract.yaml": CONTRACT });
  await fc.assert(
    fc.asyncProperty(files, fc.constantFrom(...MAPPINGS), fc.constantFrom(ITEMS, SENT_ITEMS), async (...drawn) => {
      const [contents, mapping, items] = drawn;
      for (const [name, content] of Object.entries(contents)) writeFileSync(path.join(folder, name), content);
      writeFileSync(path.join(folder, "mapping.yaml"), mapping);
      const job = await openFolder(folder);
      try {
        const expected = await planned(joinedRows(job, items));
        expect(await planned(joinedBytes(job, items))).toEqual(expected);
        const madeOnly = { ...job, mapping: { ...job.mapping, payloadNode: undefined } };
        expect(await planned(joinedBytes(madeOnly, items))).toEqual(expected);
      } finally {
        await job.input.close();
      }
    }),
    { numRuns: 60 },
  );
});

test("of good joined rows none is made, several of one parent among them, and quoted ones", async () => {
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": MAPPING,
    "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A2,Bob", "A3,Cy", ""].join("\n"),
    "people.csv": [
      HEADERS["people.csv"],
      'A2,2,"Bo, b",Smith,',
      "A1,1,Ann,Smith,",
      "A2,1,Bo,Smith,01/02/1990",
      "",
    ].join("\n"),
    "more.csv": [HEADERS["more.csv"], "1;A3;Smith;Cy;", ""].join("\n"),
    "meters.csv": [HEADERS["meters.csv"], "1,A2,G", "2,A1,P", "3,A2,G", ""].join("\n"),
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect(await notPlain(job)).toEqual([]);
});

/** The numbers of the records that bytes alone do not tell. */
async function notPlain(job: Job): Promise<readonly number[]> {
  const { joined } = job.input;
  const [file] = joined?.files ?? [];
  const find = file && joined && compilePlainRecords(job, ITEMS, createByteList())?.(file, joined.children);
  if (joined === undefined || find === undefined) throw new Error("the input is not joined as bytes");
  const others: number[] = [];
  for await (const chunk of joined.chunks()) {
    if ("root" in chunk) others.push(...find(joinedPiece(chunk, joined), { isFirstMade: false }).others);
  }
  return others;
}
