import { expect, onTestFinished, test } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openFolder } from "./open-folder.ts";
import { CHECK, planned, plannedTexts, SENT, withoutFastPath } from "./planned-chunks.ts";

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
      required: [name]
      properties:
        ref: { type: string }
        name: { type: string }
        text: { type: string }
        empty: { type: string, minLength: 0 }
        exact: { type: string, minLength: 1, maxLength: 4 }
        null_text: { type: string, nullable: true }
        code: { type: string, pattern: "^[A-Z]+$" }
        kind: { type: string, enum: ["", ONE, TWO] }
        choice: { type: string, enum: [ONE, TWO] }
        mail: { type: string, format: email }
        amount: { type: string, format: decimal, pattern: '^-?\\d{0,4}(?:\\.\\d{0,2})?$' }
        count: { type: integer }
        texts: { type: array, items: { type: string } }
        place:
          type: object
          required: [street]
          properties: { street: { type: string }, town: { type: string } }
        places:
          type: array
          items: { type: object, required: [street], properties: { street: { type: string }, town: { type: string } } }
`;

/** Cells as written in the file. */
const CELLS = ["A", "", " ", "\t ", '""', '" "', '"A"', " A ", "\u00a0", "\u00a0A", "ONE", "12", '"\r\n"', "Zo\u00eb"];

/** Returns a mapping that builds the fields from column A. */
function mappingOf(fields: string): string {
  return `operation: import-thing\nsources: { things: { files: things.csv } }\npayload:\n  ref: REF\n  name: REF\n  ${fields}\n`;
}

async function openThings(fields: string, contract = CONTRACT): Promise<Job> {
  const rows = CELLS.flatMap((cell, index) => [`R${index},${cell},B`, `S${index},${cell},`]);
  const folder = temporaryFolder({
    "contract.yaml": contract,
    "mapping.yaml": mappingOf(fields),
    "things.csv": ["REF,A,B", ...rows, ""].join("\n"),
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  return job;
}

const FIELDS = ["text", "empty", "exact", "null_text", "code", "kind", "choice", "mail", "amount"];
const OPTIONS = [
  "A",
  "{ from: A, default: ONE }",
  '{ from: A, default: "" }',
  "{ from: A, keepEmpty: true }",
  "{ from: A, trim: false }",
  "{ from: A, trim: false, default: ONE }",
  "{ from: A, trim: false, keepEmpty: true }",
  "{ from: [A, B] }",
  "{ from: [A, B], default: ONE }",
  '{ from: [A, B], join: " ", default: ONE }',
  "{ from: A, when: { column: B, in: [B] }, default: ONE }",
  "{ from: A, upper: true, default: ONE }",
  '{ from: A, replace: { A: "" }, default: ONE }',
  '{ from: A, lookup: { A: ONE, ONE: "" }, otherwise: empty, default: ONE }',
  '{ from: A, lookup: { A: ONE, "": ONE }, otherwise: keep }',
  "{ from: A, lookup: { A: ONE } }",
  '{ value: ONE, when: { column: A, in: ["", A] } }',
];

/** Plans the records on the fast path and on the row path, for a run that validates and for a run that sends. */
async function bothPaths(
  fields: string,
  contract = CONTRACT,
): Promise<{ readonly fast: unknown; readonly rows: unknown }> {
  const job = await openThings(fields, contract);
  const slow = withoutFastPath(job);
  return {
    fast: [await planned(job, CHECK), await planned(job, SENT)],
    rows: [await planned(slow, CHECK), await planned(slow, SENT)],
  };
}

/** Returns the mapping options that the type of a field in the contract allows. */
function optionsFor(field: string): readonly string[] {
  if (field === "amount") {
    const numeric = OPTIONS.filter((option) => !option.includes("keepEmpty") && !option.includes('default: ""'));
    return numeric.map((option) => option.replaceAll("ONE", '"12"'));
  }
  return field === "choice" ? OPTIONS.filter((option) => !option.includes('default: ""')) : OPTIONS;
}

test.each(FIELDS)("the fast path matches the row path for empty and blank cells of the field %s", async (field) => {
  for (const option of optionsFor(field)) {
    const { fast, rows } = await bothPaths(`${field}: ${option}`);
    expect({ option, planned: fast }).toEqual({ option, planned: rows });
  }
});

test.each(OPTIONS)("the fast path matches the row path for the leaf %s in objects and lists", async (option) => {
  const { fast, rows } = await bothPaths(
    [
      `place: { street: ${option}, town: B }`,
      `places: [{ street: ${option}, town: B }, { street: B, town: ${option} }, { street: ${option} }]`,
      `texts: [${option}, B]`,
    ].join("\n  "),
  );
  expect(fast).toEqual(rows);
});

test.each([
  ["a constant", "text: { from: A, default: NONE }", '"text":"NONE"'],
  ["an empty string", 'empty: { from: A, default: "" }', '"empty":""'],
  ["a constant in an object", "place: { street: B, town: { from: A, default: NONE } }", '"town":"NONE"'],
  ["a constant in a list", "texts: [{ from: A, default: NONE }]", '"texts":["NONE"]'],
])("uses a default for an empty cell: %s", async (_, fields, expected) => {
  const texts = await plannedTexts(await openThings(fields));
  const empty = CELLS.flatMap((cell, index) => (cell.replaceAll('"', "").trim() === "" ? [2 * index] : []));
  expect(empty.map((position) => texts[position]?.[1])).toEqual(empty.map(() => expect.stringContaining(expected)));
});

test("uses a default as the business key of each record with an empty cell", async () => {
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": mappingOf("text: A").replace("ref: REF", "ref: { from: A, default: NONE }"),
    "things.csv": "REF,A,B\n1,,x\n2,,x\n3,K,x\n4,,x\n",
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect((await plannedTexts(job)).map(([key]) => key)).toEqual(["NONE", "NONE", "K", "NONE"]);
});

test.each([
  ["optional", CONTRACT],
  ["required", CONTRACT.replace("required: [name]", "required: [name, places]")],
])("the fast path matches the row path for items of constants in a list that is %s", async (_, contract) => {
  for (const items of [
    "{ street: A, town: { value: Bath } }",
    "{ street: { from: A, default: High St }, town: { from: B, default: Bath } }",
    "{ when: { column: B, in: [B] }, item: { street: A, town: { value: Bath } } }",
    "{ street: A, town: { value: Bath } }, { street: B, town: { value: Bath } }",
    "{ town: { value: Bath } }",
    "{ street: { value: High St } }",
  ]) {
    const { fast, rows } = await bothPaths(`places: [${items}]`, contract);
    expect({ items, planned: fast }).toEqual({ items, planned: rows });
  }
});
