import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { judgeValue, TEXT, INTEGER, LIST_OF_TEXTS } from "./judged.ts";

const DECIMAL = { type: "string", format: "decimal", pattern: String.raw`^-?\d{0,4}(?:\.\d{0,2})?$` };

const PRECISE = { type: "string", format: "decimal", "x-max-digits": 6, "x-max-decimal-places": 2 };

const CHOICE = { type: "string", enum: ["A", "B"] };

const NUMBER_CHOICE = { type: "integer", enum: [0, 1, 2] };

test.each<[JsonObject, JsonValue, string | undefined]>([
  // Text
  [TEXT, "x", undefined],
  [TEXT, 12.5, undefined],
  [TEXT, true, "invalid"],
  [TEXT, [], "invalid"],
  [TEXT, {}, "invalid"],
  [TEXT, null, "null"],
  [{ ...TEXT, nullable: true }, null, undefined],
  [{ type: ["string", "null"] }, null, undefined],
  [TEXT, "", "blank"],
  [TEXT, " \u0085\t", "blank"],
  [{ ...TEXT, nullable: true }, "", "blank"],
  [{ allOf: [{ type: ["string", "null"] }, { type: ["integer", "null"] }], enum: ["A", null] }, null, undefined],
  [{ allOf: [{ type: ["string", "null"] }, { type: ["integer", "null"] }], enum: ["A", null] }, "A", "invalid_choice"],
  [{ ...TEXT, minLength: 0, pattern: "^x$" }, " ", undefined],
  [{ ...TEXT, minLength: 2, pattern: "^x$" }, "", "blank"],
  [{ ...TEXT, maxLength: 3 }, " abc ", undefined],
  [{ ...TEXT, maxLength: 3 }, "abcd", "max_length"],
  [{ ...TEXT, maxLength: 3 }, 1234, "max_length"],
  [{ ...TEXT, maxLength: 2 }, "😀😀", undefined],
  [{ ...TEXT, maxLength: 2 }, "😀😀😀", "max_length"],
  [{ ...TEXT, minLength: 3 }, "ab", "min_length"],
  [{ ...TEXT, pattern: "^[A-Z]+$" }, "ab", "invalid"],
  [{ ...TEXT, pattern: "^[A-Z]+$" }, " AB ", undefined],
  [{ ...TEXT, pattern: String.raw`^\-x$` }, "-x", undefined],
  [{ ...TEXT, pattern: "(" }, "anything", undefined],
  [TEXT, "a\u0000b", "null_characters_not_allowed"],
  [TEXT, "a\ud800b", "surrogate_characters_not_allowed"],
  [{ ...TEXT, format: "email" }, "a@example.com", undefined],
  [{ ...TEXT, format: "email" }, "a.example.com", "invalid"],
  [{ ...TEXT, format: "email" }, "a@[1.2.3.4]", undefined],
  [{ ...TEXT, format: "email" }, "a@[1.2.3.400]", "invalid"],
  [{ ...TEXT, format: "email" }, '"a b"@c.de', undefined],
  [{ ...TEXT, format: "email" }, "a b@c.de", "invalid"],
  [{ ...TEXT, format: "email" }, "a@bücher.example", undefined],
  [{ ...TEXT, format: "email" }, "a@localhost", undefined],
  [{ ...TEXT, format: "email" }, "a@b.c", "invalid"],
  [{ ...TEXT, format: "email" }, "a..b@example.com", "invalid"],
  [{ ...TEXT, format: "uri" }, "https://example.com/x", undefined],
  [{ ...TEXT, format: "uri" }, "example", "invalid"],
  [{ ...TEXT, format: "uuid" }, "7f3A0000-0000-4000-8000-0123456789ab", undefined],
  [{ ...TEXT, format: "uuid" }, "", "invalid"],
  [{ ...TEXT, format: "uuid" }, "7f3a", "invalid"],
  // Schemas without a type
  [{ minLength: 2 }, 1, undefined],
  [{ minLength: 2 }, "a", "min_length"],
  [{ minimum: 2 }, 1, "min_value"],
  [{ minimum: 2 }, "1", undefined],
  [{ items: TEXT }, "a", undefined],
  [{ properties: { b: TEXT } }, 1, undefined],
  // Choices that are objects or lists
  [{ enum: [{ b: 1 }, ["c"], "d"] }, { b: 1 }, undefined],
  [{ enum: [{ b: 1 }, ["c"], "d"] }, ["c"], undefined],
  [{ enum: [{ b: 1 }, ["c"], "d"] }, ["d"], "schema_mismatch"],
  [{ const: { b: 1 } }, { b: 2 }, "schema_mismatch"],
  [{ const: { b: 1 } }, null, "null"],
  // Decimals
  [DECIMAL, "12.50", undefined],
  [DECIMAL, " -12.5 ", undefined],
  [DECIMAL, 12.5, undefined],
  [DECIMAL, ".5", undefined],
  [DECIMAL, "5.", undefined],
  [PRECISE, "0001234.50", undefined],
  [PRECISE, "12345.50", "max_digits"],
  [DECIMAL, "", "invalid"],
  [DECIMAL, "-", "invalid"],
  [DECIMAL, ".", "invalid"],
  [DECIMAL, "1e3", "invalid"],
  [DECIMAL, "1,000", "invalid"],
  [DECIMAL, true, "invalid"],
  [DECIMAL, "+5", "invalid"],
  [DECIMAL, "12345.67", "max_digits"],
  [DECIMAL, "1.234", "max_decimal_places"],
  [DECIMAL, "12345.6", "max_whole_digits"],
  [DECIMAL, 1e21, "max_digits"],
  [DECIMAL, 1e-7, "max_digits"],
  [{ ...TEXT, format: "decimal", "x-max-digits": 3, "x-max-decimal-places": 1 }, "123", "max_whole_digits"],
  [{ ...TEXT, format: "decimal", "x-max-digits": 3 }, "1234", "max_digits"],
  [{ ...TEXT, format: "decimal", minimum: 0 }, "-0.01", "min_value"],
  [{ ...TEXT, format: "decimal", maximum: 10, exclusiveMaximum: true }, "10.00", "max_value"],
  [{ ...TEXT, format: "decimal", multipleOf: 0.05 }, "0.15", undefined],
  [{ ...TEXT, format: "decimal", multipleOf: 0.05 }, "0.16", "invalid"],
  [{ ...DECIMAL, pattern: String.raw`^\d{0,4}(?:\.\d{0,2})?$` }, "-1", "invalid"],
  // Numbers
  [INTEGER, 5, undefined],
  [INTEGER, "5", undefined],
  [INTEGER, " 5.0 ", undefined],
  [INTEGER, 5.5, "invalid"],
  [INTEGER, "five", "invalid"],
  [INTEGER, true, "invalid"],
  [INTEGER, "", "invalid"],
  [INTEGER, 0, "min_value"],
  [INTEGER, "10", "max_value"],
  [{ type: "integer", format: "int32" }, 2 ** 31, "max_value"],
  [{ type: "integer" }, "1".repeat(1001), "invalid"],
  [{ type: "number", minimum: 0, exclusiveMinimum: true }, 0, "min_value"],
  [{ type: "number", exclusiveMaximum: 1 }, 1, "max_value"],
  [{ type: "number", multipleOf: 0.1 }, 0.3, undefined],
  [{ type: "number", multipleOf: 0.5 }, 0.3, "invalid"],
  [{ type: "number" }, "1.5e3", undefined],
  [{ type: "number" }, "1e999", "invalid"],
  [{ type: "number" }, "many", "invalid"],
  // Booleans
  [{ type: "boolean" }, "true", undefined],
  [{ type: "boolean" }, "No", undefined],
  [{ type: "boolean" }, 1, undefined],
  [{ type: "boolean" }, "maybe", "invalid"],
  [{ type: "boolean" }, 2, "invalid"],
  [{ type: "boolean" }, "", "invalid"],
  [{ type: "boolean", nullable: true }, "", undefined],
  // Dates and times
  [{ ...TEXT, format: "date" }, "2024-02-29", undefined],
  [{ ...TEXT, format: "date" }, "2023-02-29", "invalid"],
  [{ ...TEXT, format: "date" }, "1900-02-29", "invalid"],
  [{ ...TEXT, format: "date" }, "2024-04-31", "invalid"],
  [{ ...TEXT, format: "date" }, "0000-01-01", "invalid"],
  [{ ...TEXT, format: "date" }, "2024-01-01T00:00:00Z", "invalid"],
  [{ ...TEXT, format: "date" }, "", "invalid"],
  [{ ...TEXT, format: "date" }, 20240101, "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00Z", undefined],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00.123+01:00", undefined],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T24:00:00Z", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T23:59:60Z", undefined],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T22:59:60Z", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29", undefined],
  [{ ...TEXT, format: "date-time" }, "2024-02-29 12:00:00Z", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29T12:00:00+24:00", "invalid"],
  [{ ...TEXT, format: "date-time" }, "2024-02-29t12:00:00z", undefined],
  [{ type: "datetime" }, "2024-02-29T12:00:00Z", undefined],
  [{ type: "datetime" }, "yesterday", "invalid"],
  [{ ...TEXT, format: "time" }, "09:30", undefined],
  [{ ...TEXT, format: "time" }, "09:30:15.5Z", undefined],
  [{ ...TEXT, format: "time" }, "24:00", "invalid"],
  // Choices
  [CHOICE, "A", undefined],
  [CHOICE, "C", "invalid_choice"],
  [CHOICE, "", "invalid_choice"],
  [CHOICE, " A", "invalid_choice"],
  [CHOICE, {}, "invalid_choice"],
  [CHOICE, null, "null"],
  [{ ...CHOICE, enum: ["A", "", null] }, "", undefined],
  [{ ...CHOICE, enum: ["A", null] }, null, "null"],
  [{ ...CHOICE, enum: ["A", null], nullable: true }, null, undefined],
  [{ enum: ["A", null] }, null, undefined],
  [{ const: "A" }, "B", "invalid_choice"],
  [NUMBER_CHOICE, 1, undefined],
  [NUMBER_CHOICE, "1", undefined],
  [NUMBER_CHOICE, true, "invalid_choice"],
  [{ oneOf: [CHOICE, { enum: [""] }, { enum: [null] }] }, "", undefined],
  [{ oneOf: [CHOICE, { enum: [""] }, { enum: [null] }] }, null, undefined],
  [{ oneOf: [CHOICE, { enum: [""] }] }, "C", "invalid_choice"],
  // Lists
  [LIST_OF_TEXTS, ["x"], undefined],
  [LIST_OF_TEXTS, "x", "not_a_list"],
  [LIST_OF_TEXTS, null, "null"],
  [{ ...LIST_OF_TEXTS, minItems: 1 }, [], "empty"],
  [{ ...LIST_OF_TEXTS, minItems: 2 }, ["x"], "min_length"],
  [{ ...LIST_OF_TEXTS, maxItems: 1 }, ["x", "y"], "max_length"],
  [{ ...LIST_OF_TEXTS, uniqueItems: true }, ["x", "x"], "unique"],
  // Other values
  [{}, { anything: [null] }, undefined],
  [{ type: "object", additionalProperties: TEXT }, [], "not_a_dict"],
])("with the schema %j, the value %j has the problem %s", (schema, value, code) => {
  expect(judgeValue(schema, value)).toEqual(code === undefined ? [] : [`a ${code}`]);
});

test.each([
  ..."/etc/passwd|~/x|C:\\x|file:x|s3://b/x|a\\b|\\\\host\\x|../x|a/../b|a/./b|..|a//b|a/|a%2fb|a%252eb|a./b|a /b| a|a |a.".split(
    "|",
  ),
  "a\u0007b",
  "a\u202eb",
  "e\u0301.pdf",
  `${"é".repeat(512)}x`,
])("the document path %j is unsafe", (path) => {
  expect(judgeValue({ ...TEXT, "x-document-path": true }, path)).toEqual(["a unsafe_document_path"]);
});

test.each([
  "letter.pdf",
  "2024/05/letter 1.pdf",
  "a/ b",
  "été/ñ.pdf",
  ".hidden/x",
  "a..b/c",
  "100%.pdf",
  "é".repeat(512),
])("the document path %j is safe", (path) => {
  expect(judgeValue({ ...TEXT, "x-document-path": true }, path)).toEqual([]);
});

test("an empty document path has only the error blank", () => {
  expect(judgeValue({ ...TEXT, "x-document-path": true }, " ")).toEqual(["a blank"]);
});
