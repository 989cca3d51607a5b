import { writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "csv-stringify/sync";
import { expect, test } from "vitest";
import { linesOf, validate, workFolder } from "./validate-scene.ts";

const TYPES: Readonly<Record<string, string>> = {
  text: "{ type: string }",
  email: "{ type: string, format: email }",
  uri: "{ type: string, format: uri }",
  uuid: "{ type: string, format: uuid }",
  date: "{ type: string, format: date }",
  moment: "{ type: string, format: date-time }",
  decimal: "{ type: string, format: decimal, x-max-digits: 12, x-max-decimal-places: 2 }",
  number: "{ type: number }",
  whole: "{ type: integer }",
  flag: "{ type: boolean }",
  path: "{ type: string, x-document-path: true }",
  form: "{ type: string, pattern: '^[A-Z]+-[0-9]+(?:\\.[0-9]{1,3})?$' }",
};

const OPTIONS: Readonly<Record<string, string>> = {
  uuid: "{ from: UUID, replace: { pattern: '[- ]+', to: '' } }",
  date: "{ from: DATE, date: d MMM yyyy }",
  moment: "{ from: MOMENT, datetime: 'dd/MM/yyyy HH:mm', zone: Europe/London }",
  decimal: "{ from: DECIMAL, number: { decimal: ',', group: '.' } }",
};

const CONTRACT = `openapi: 3.0.3
info: { title: All kinds, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: import-account
      x-migrate-key: ref
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                ref: { type: string }
${Object.entries(TYPES)
  .map(([name, type]) => `                ${name}: ${type}\n`)
  .join("")}      responses: { "201": { description: Created } }
`;

const MAPPING = `operation: import-account
payload:
  ref: REF
${Object.keys(TYPES)
  .map((name) => `  ${name}: ${OPTIONS[name] ?? name.toUpperCase()}\n`)
  .join("")}`;

const long = (piece: string, length = 40_000): string => piece.repeat(length / piece.length);

/**
 * Cells that make a backtracking matcher try many alternatives. The time that such a matcher takes grows with the
 * square of the length, up to several seconds for these cells.
 */
const CELLS = [
  `1${long("0")}1`,
  `1.${long("0")}1`,
  `${long(" ")}x`,
  `x${long(" ")}x`,
  `${long("a")}@`,
  `${long("a.")}@${"b.".repeat(100)}`,
  `"${long('\\"')}@`,
  `http:${long("%41")}|`,
  long("../"),
  long("A-1."),
  `${long("1.234,")}x`,
  long("\u0301"),
  long("$&"),
];

test("long cells that are designed to slow down pattern matching do not slow down validation", async () => {
  const columns = ["REF", ...Object.keys(TYPES).map((name) => name.toUpperCase())];
  const rows = CELLS.map((cell, at) => [`A${at}`, ...Object.keys(TYPES).map(() => cell)]);
  const longest = columns.map((name) => (name === "NUMBER" ? `1.${long("0", 900_000)}1` : ""));
  const folder = workFolder({ "contract.yaml": CONTRACT, "mapping.yaml": MAPPING });
  writeFileSync(path.join(folder, "a.csv"), stringify([columns, ...rows, longest]));
  const { code, stdout } = await validate(folder, ["a.csv"]);
  expect(code).toBe(1);
  expect(linesOf(stdout).map(({ status }) => status)).toEqual([...rows, longest].map(() => "invalid"));
});

test("lines of JSON with long runs of spaces or digits do not slow down validation", async () => {
  const spaces = `{"number":"A1","name":"Ada","note":"x${" ".repeat(4_000_000)}x"}`;
  const digits = `{"number":"A2","name":"Bea","note":1.${"0".repeat(4_000_000)}1}`;
  const folder = workFolder({ "mapping.yaml": "operation: import-account\npayload: { number: number, name: name }\n" });
  writeFileSync(path.join(folder, "a.ndjson"), `${spaces}\n${digits}\n`);
  const { code, stdout } = await validate(folder, ["a.ndjson"]);
  expect(code).toBe(1);
  expect(linesOf(stdout)).toMatchObject([
    { status: "valid" },
    { status: "invalid", errors: [{ code: "source_unsafe_number" }] },
  ]);
});
