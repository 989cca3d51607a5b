import type { Operation } from "../../../src/contract/operations/operation.ts";
import { expect, it } from "vitest";
import { fieldTable, type FieldRow } from "../../../src/contract/describe/field-table.ts";
import { contractOf } from "../contract-of.ts";

function rowsOf(...args: Parameters<typeof contractOf>): readonly FieldRow[] {
  const [operation] = contractOf(...args).operations;
  return operation === undefined ? [] : fieldTable(operation);
}

it.each([
  [
    { type: "string", minLength: 2, maxLength: 1000, pattern: "^a" },
    "text",
    ["at least 2 characters", "at most 1000 characters", "matches ^a"],
  ],
  [
    { type: "string", minLength: 0, maxLength: 1, nullable: true },
    "text",
    ["may be blank", "at most 1 character", "may be null"],
  ],
  [{ type: "string", minLength: 1, format: "email" }, "email", []],
  [{ type: "string", "x-document-path": true }, "document path", []],
  [
    { type: "string", format: "decimal", pattern: "^-?\\d{0,10}(?:\\.\\d{0,2})?$" },
    "decimal, as text",
    ["at most 10 digits before the decimal point", "at most 2 digits after the decimal point"],
  ],
  [{ type: "string", format: "decimal", "x-max-digits": 5 }, "decimal, as text", ["at most 5 digits"]],
  [
    { type: "string", format: "decimal", "x-max-digits": 5, "x-max-decimal-places": 2, pattern: "^-?[1-5]" },
    "decimal, as text",
    ["at most 3 digits before the decimal point", "at most 2 digits after the decimal point", "matches ^-?[1-5]"],
  ],
  [{ type: "integer", minimum: 1, maximum: 9, exclusiveMaximum: true }, "whole number", ["at least 1", "below 9"]],
  [{ type: "number", exclusiveMinimum: 0, multipleOf: 0.5 }, "number", ["above 0", "a multiple of 0.5"]],
  [{ type: "boolean" }, "true or false", []],
  [{ type: "string", format: "date" }, "date (YYYY-MM-DD)", []],
  [{ enum: ["A", "", 3] }, "choice", ['one of A, "", 3']],
  [{ enum: [1, "1", true, "true", "2"] }, "choice", ['one of 1, "1", true, "true", 2']],
  [{ enum: ["A"] }, "choice", ["always A"]],
  [
    { type: "array", items: { type: "string" }, minItems: 1, uniqueItems: true },
    "list of texts",
    ["at least 1 item", "no duplicate items"],
  ],
  [{ type: "object", additionalProperties: { type: "integer" } }, "object", ["undocumented fields are allowed"]],
  [{}, "anything", []],
])("describes %j as %s with the rules %j", (schema, type, rules) => {
  expect(rowsOf({ field: schema })[0]).toMatchObject({ attr: "field", type, rules });
});

it("lists the fields of objects and lists in document order", () => {
  const rows = rowsOf({
    b: {
      type: "array",
      items: { type: "object", required: ["d"], properties: { d: { type: "string" }, c: { type: "boolean" } } },
    },
    a: { type: "object", additionalProperties: { type: "integer" } },
    codes: { type: "array", items: { type: "string", maxLength: 4 } },
  });
  expect(rows.map(({ attr, required }) => `${attr}${required ? " required" : ""}`)).toEqual([
    "b",
    "b.*.d required",
    "b.*.c",
    "a",
    "a.*",
    "codes",
    "codes.* required",
  ]);
  expect(rows.at(-1)?.rules).toEqual(["at most 4 characters"]);
});

it("the table states when the fields of an alternative apply", () => {
  const method = { type: "string" };
  const schemas = {
    Card: {
      type: "object",
      properties: { method, card: { oneOf: [{ type: "string" }, { type: "object", properties: { x: {} } }] } },
    },
    Bank: { type: "object", properties: { bank: { type: "string" } } },
  };
  const oneOf = [{ $ref: "#/components/schemas/Card" }, { $ref: "#/components/schemas/Bank" }];
  const discriminator = { propertyName: "method", mapping: { CARD: "Card", CREDIT: "Card", BANK: "Bank" } };
  const rows = rowsOf({ payment: { oneOf, discriminator } }, { schemas });
  expect(rows.map(({ attr, type, when }) => [attr, type, when])).toEqual([
    ["payment", "object, by method", undefined],
    ["payment.method", "text", "method is CARD or CREDIT"],
    ["payment.card", "one of several", "method is CARD or CREDIT"],
    ["payment.card.x", "anything", "method is CARD or CREDIT, option 2"],
    ["payment.bank", "text", "method is BANK"],
  ]);
});

it("expands a recursive type once", () => {
  const node = { $ref: "#/components/schemas/Node" };
  const schemas = { Node: { type: "object", properties: { next: node, all: { type: "array", items: node } } } };
  const rows = rowsOf({ node }, { schemas });
  expect(rows.map(({ attr }) => attr)).toEqual(["node", "node.next", "node.all"]);
  expect(rows[1]?.rules).toEqual(["the same fields again, at any depth"]);
});

it("includes description, default, codes and deprecation as plain text", () => {
  const [row] = rowsOf({
    field: {
      type: "string",
      readOnly: true,
      deprecated: true,
      default: "x",
      description: "<p>Use\n <code>\u2068new\u2069</code> &amp; not\u00A0this, a &lt; b.</p>",
      "x-validators": [
        { name: "One", possible_errors: ["bad", "worse"] },
        { name: "Two", possible_errors: ["bad"] },
      ],
    },
  });
  expect(row).toEqual({
    attr: "field",
    type: "text",
    required: false,
    rules: ["only in replies"],
    description: "Use new & not this, a < b.",
    deprecated: true,
    default: "x",
    codes: ["bad", "worse"],
  });
});

const NO_OPERATION: Operation = {
  id: "",
  method: "GET",
  path: "/",
  dedupesByKey: false,
  replies: [],
  outcomes: [],
  steps: [],
  readBack: [],
};

it("returns an empty table for an operation without a body", () => {
  const [operation] = contractOf({}).operations;
  const { body: _body, ...bodiless } = operation ?? NO_OPERATION;
  expect(fieldTable(bodiless)).toEqual([]);
});
