import fc from "fast-check";

/** A contract with a field of each kind. */
export const CONTRACT = `
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
        codes: { type: array, items: { type: string, maxLength: 4 } }
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

export const MAPPING = `
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

/** Entries for a text field. A condition, a constant or a default changes which cells the value depends on. */
const TEXT_ENTRIES = [
  "TOWN",
  "{ from: TOWN, upper: true }",
  "{ from: TOWN, trim: false }",
  "{ from: TOWN, keepEmpty: true }",
  "{ from: [CODE, TOWN] }",
  '{ from: [NAME, NAME, TOWN], join: "-" }',
  '{ from: NAME, replace: { "A": "" }, default: none }',
  "{ from: NAME, when: { column: NAME, in: [Ann, x] } }",
  "{ from: NAME, when: { column: KIND, in: ['1', x] }, default: other }",
  "{ value: old }",
  "{ value: old, when: { column: KIND, in: ['2', ''] } }",
  "{ from: KIND, lookup: { '1': one, '2': '' }, otherwise: keep }",
  "{ from: BORN, date: dd/MM/yyyy }",
  "{ from: SEEN, datetime: \"yyyy-MM-dd'T'HH:mm:ss'Z'\", zone: Europe/London }",
  "{ from: BALANCE, number: { decimal: '.' } }",
] as const;

const LIST_ENTRIES = [
  "{ from: TOWN, split: ' ' }",
  "{ from: CODE, split: A, upper: true }",
  "[NAME, { from: TOWN, when: { column: KIND, in: ['1'] } }]",
] as const;

/** Mappings whose text fields have random entries. */
export const mapping: fc.Arbitrary<string> = fc
  .tuple(fc.array(fc.constantFrom(...TEXT_ENTRIES), { minLength: 5, maxLength: 5 }), fc.constantFrom(...LIST_ENTRIES))
  .map(([[code, source, street, town, land], codes]) =>
    MAPPING.replace(/^  code: .*/m, `  code: ${code}`)
      .replace(/^  source: .*/m, `  source: ${source}\n  codes: ${codes}`)
      .replace(/^  place: .*/m, `  place: { street: ${street}, town: ${town}, land: ${land} }`),
  );

export const COLUMNS = [
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

export const GOOD = [
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

/** Contents of cells: correct, wrong and almost correct. */
export const CELLS: fc.Arbitrary<string> = fc.constantFrom(
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
  { weight: 4, arbitrary: CELLS.map(quoted) },
  { weight: 1, arbitrary: CELLS.map((text) => `"${text}"`) },
  { weight: 1, arbitrary: CELLS },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }).map((text) => quoted(text.toWellFormed())) },
);

const key = fc.nat(99).map((number) => `A${number}`);
/** A valid row, except for a few cells. */
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
/** A CSV file with valid records, and records with one or more unusual cells. */
export const file: fc.Arbitrary<string> = fc
  .tuple(fc.array(line, { minLength: 20, maxLength: 80 }), fc.constantFrom("\n", "\r\n", "\r"), fc.boolean())
  .map(([lines, end, isEnded]) => [COLUMNS.join(","), ...lines].join(end) + (isEnded ? end : ""));

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
