import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { type Job, openJob } from "../../../src/job/job.ts";
import { unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import { compilePlainRecords } from "../../../src/pipeline/bytes/plain-records.ts";
import type { CheckAnswer } from "../../../src/pipeline/threads/check-batches.ts";
import { checkChunks } from "../../../src/pipeline/threads/check-chunks.ts";
import { csvPiecesOf } from "../../../src/read/chunks/chunk-rows.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

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
      required: [name, people]
      properties:
        ref: { type: string, maxLength: 8 }
        name: { type: string, minLength: 2, maxLength: 6 }
        code: { type: string, pattern: "^[A-Z]+$" }
        kind: { type: string, enum: [ONE, TWO] }
        balance: { type: string, format: decimal, pattern: '^-?\\d{0,4}(?:\\.\\d{0,2})?$' }
        rate: { type: string, format: decimal, maximum: 10 }
        count: { type: integer, minimum: 1 }
        born: { type: string, format: date }
        seen: { type: string, format: date-time }
        active: { type: boolean }
        mail: { type: string, format: email }
        file: { type: string, x-document-path: true }
        source: { type: string }
        people: { type: array, maxItems: 2, items: { $ref: "#/components/schemas/Person" } }
        place:
          type: object
          required: [street]
          properties: { street: { type: string }, town: { type: string }, land: { type: string } }
    Person:
      type: object
      required: [first]
      properties: { first: { type: string }, last: { type: string, maxLength: 5 } }
`;

const MAPPING = `
operation: import-thing
sources: { things: { files: things.csv } }
payload:
  ref: REF
  name: NAME
  code: { from: CODE, upper: true }
  kind: { from: KIND, lookup: { "1": ONE, "2": TWO, "": ONE, x: "" } }
  balance: BALANCE
  rate: { from: RATE, default: "1.5" }
  count: COUNT
  born: { from: BORN, date: [dd/MM/yyyy, yyyy-MM-dd] }
  seen: SEEN
  active: { from: ACTIVE, true: [Y, "1"], false: [N] }
  mail: MAIL
  file: FILE
  source: { value: old }
  people:
    - { first: NAME, last: TOWN }
    - { first: { from: [CODE, KIND], join: "/" }, last: { from: TOWN, when: { column: KIND, in: ["2"] } } }
  place: { street: STREET, town: { from: TOWN, upper: true }, land: { value: GB } }
`;

const COLUMNS = [
  "REF",
  "NAME",
  "CODE",
  "KIND",
  "BALANCE",
  "RATE",
  "COUNT",
  "BORN",
  "SEEN",
  "ACTIVE",
  "MAIL",
  "FILE",
  "STREET",
  "TOWN",
] as const;

const GOOD = [
  "A1",
  "Ann",
  "AB",
  "1",
  "12.50",
  "2",
  "3",
  "01/02/2024",
  "2024-01-01T00:00:00Z",
  "Y",
  "a@b.example",
  "a/b.pdf",
  "High St",
  "Bath",
];

/** What stands in cells, right, wrong, or nearly right. */
const OTHERS = fc.constantFrom(
  "",
  " ",
  "A1",
  "a1",
  "0A1",
  "007",
  "1E5",
  " A2 ",
  "\u00a0A3",
  "Zoë",
  "😀",
  "😀😀😀😀",
  "\ud7ff\u0085x",
  "x",
  "2",
  "0",
  "-0",
  "01",
  "+1",
  "1.",
  ".5",
  "-12345.1",
  "12345",
  "1234.567",
  "12.345",
  "0000012.5",
  "10.01",
  "31/02/2024",
  "2024-02-29",
  "2024-01-01t00:00:00.5Z",
  "N",
  "true",
  "a@b",
  "../x",
  "a\tb",
  "\u0007",
  "\u0000",
  "long enough to be too long",
  "one, two",
  'a "quoted" word',
  "two\nlines",
  "two\r\nlines",
  '"',
);

const odd = fc.oneof(
  { weight: 4, arbitrary: OTHERS.map(quoted) },
  { weight: 1, arbitrary: OTHERS.map((text) => `"${text}"`) },
  { weight: 1, arbitrary: OTHERS },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }).map((text) => quoted(text.toWellFormed())) },
);

const key = fc.nat(99).map((number) => `A${number}`);
/** A good row, but for a few cells. */
const row = fc
  .tuple(key, fc.array(fc.tuple(fc.nat(COLUMNS.length - 1), odd), { maxLength: 3 }))
  .map(([ref, changes]) => {
    const cells = GOOD.with(0, ref);
    for (const [column, text] of changes) cells[column] = text;
    return cells.join(",");
  });
const line = fc.oneof(
  { weight: 12, arbitrary: row },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "  ", '""', "A,B", `${GOOD.join(",")},more`, `"A1"x,${GOOD.slice(1).join(",")}`),
  },
);
const file = fc
  .tuple(fc.array(line, { minLength: 20, maxLength: 80 }), fc.constantFrom("\n", "\r\n", "\r"), fc.boolean())
  .map(([lines, end, isEnded]) => [COLUMNS.join(","), ...lines].join(end) + (isEnded ? end : ""));

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function folderOf(content: string, mapping = MAPPING): string {
  return temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": mapping, "things.csv": content });
}

async function open(folder: string): Promise<Job> {
  const settings = { folder, contract: ["contract.yaml"], mapping: "mapping.yaml", sources: [], namedSources: {} };
  return openJob(settings, {
    temporaryFolder: path.join(folder, "temp"),
    notice: () => undefined,
    clock: { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() },
  });
}

const CHECK = { items: { endpoint: "", supplier: "" }, showValues: true };

/** Everything that is planned, and the failure that ends it. */
async function planned(job: Job): Promise<unknown> {
  const { chunked } = job.input;
  if (chunked === undefined) throw new Error("the input does not come in chunks");
  const answerOf = checkChunks(job, chunked, CHECK);
  const answers: unknown[] = [];
  try {
    for await (const chunk of chunked.chunks()) {
      const { unnumbered, checked } = answerOf(chunk);
      const { batches, ...more } = checked;
      answers.push({ unnumbered, ...more, ...asOneBatch(batches) });
    }
  } catch (error) {
    answers.push(String(error));
  }
  return answers;
}

/** Batches without errors are handed on together where records are told by their bytes: nothing depends on where one ends. */
function asOneBatch(batches: CheckAnswer["batches"]): object {
  let first = 0;
  const placed = batches.map(({ count, items, invalid, excluded, keyColumns, shown }) => {
    const behind = first;
    first += count;
    const at = <T extends { readonly position: number }>(found: T): T => ({
      ...found,
      position: behind + found.position,
    });
    return {
      items: unpackItems(items),
      problems: [...items.problems.error, ...items.problems.warning],
      invalid: invalid.map((position) => behind + position),
      excluded: excluded.map(at),
      keyColumns: keyColumns.map(at),
      shown: shown.map(([position, ...value]) => [behind + position, ...value]),
    };
  });
  return {
    count: first,
    items: placed.flatMap(({ items }) => items),
    problems: totals(placed.flatMap(({ problems }) => problems)),
    invalid: placed.flatMap(({ invalid }) => invalid),
    excluded: placed.flatMap(({ excluded }) => excluded),
    keyColumns: placed.flatMap(({ keyColumns }) => keyColumns),
    shown: placed.flatMap(({ shown }) => shown),
  };
}

function totals(counts: readonly (readonly [code: string, count: number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [code, count] of counts) sums.set(code, (sums.get(code) ?? 0) + count);
  return sums;
}

/** The same of a job whose records are all made and checked. */
function madeRecords(job: Job): Job {
  return { ...job, mapping: { ...job.mapping, payloadNode: undefined } };
}

/** The numbers of the records that bytes alone do not tell. */
async function notPlain(job: Job): Promise<readonly number[] | undefined> {
  const { chunked } = job.input;
  const [opened] = chunked?.files ?? [];
  const find = opened?.kind === "csv" ? compilePlainRecords(job, CHECK.items)?.(opened) : undefined;
  if (chunked === undefined || opened?.kind !== "csv" || find === undefined) return undefined;
  const others: number[] = [];
  for await (const chunk of chunked.chunks()) {
    for (const piece of csvPiecesOf(chunk, opened))
      others.push(...find(piece, piece.from, { isFirstMade: false }).others);
  }
  return others;
}

test("records that are told by their bytes are planned as if they were made and checked", async () => {
  const folder = folderOf("");
  await fc.assert(
    fc.asyncProperty(file, async (content) => {
      writeFileSync(path.join(folder, "things.csv"), content);
      const job = await open(folder);
      try {
        expect(await planned(job)).toEqual(await planned(madeRecords(job)));
      } finally {
        await job.input.close();
      }
    }),
    { numRuns: 100 },
  );
});

test("of good rows none is made, quoted ones, other alphabets and empty cells among them", async () => {
  const rows = [
    GOOD,
    GOOD.with(0, "0a b").with(1, "Zoë"),
    GOOD.with(12, '"12, ""High"" St"').with(0, "A3"),
    GOOD.with(0, "A4").with(12, '"High St, top floor"'),
    GOOD.with(0, "A5").with(4, "").with(5, "").with(6, ""),
    GOOD.with(0, "A6").with(3, "x"),
    GOOD.with(0, "A7").with(3, ""),
    GOOD.with(0, " A8 ").with(1, "toolong"),
    GOOD.with(0, "A9").with(12, "").with(13, ""),
  ];
  const job = await open(folderOf([COLUMNS, ...rows].map((cells) => cells.join(",")).join("\n")));
  onTestFinished(() => job.input.close());
  // Doubled quotes are left to the parser; the other one has an error.
  expect(await notPlain(job)).toEqual([3, 8]);
});

test.each([
  ["a key that every record has", MAPPING.replace("ref: REF", "ref: { value: A }")],
  ["a key with leading zeros taken away", MAPPING.replace("ref: REF", "ref: { from: REF, replace: [['0', '']] }")],
  ["a key that is one of two cells", MAPPING.replace("ref: REF", "ref: { from: [REF, CODE] }")],
  ["a nested key", `key: place.street\n${MAPPING}`],
])("records are planned the same by their bytes with %s", async (_, mapping) => {
  const rows = [GOOD, GOOD.with(0, "007"), GOOD.with(0, ""), GOOD.with(0, "Zoë").with(12, " "), GOOD.with(12, "Ä 1")];
  const job = await open(folderOf([COLUMNS, ...rows].map((cells) => cells.join(",")).join("\n"), mapping));
  onTestFinished(() => job.input.close());
  expect((await notPlain(job))?.length).toBeLessThan(4);
  expect(await planned(job)).toEqual(await planned(madeRecords(job)));
});
