import { expect, it } from "vitest";
import { type ComparedRecord, compareContent } from "../../../src/platform/reading/compare-content.ts";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { contractOf } from "../../contract/contract-of.ts";

const LOOKUP = {
  get: {
    operationId: "lookup",
    parameters: [{ name: "ref", in: "path", required: true, schema: { type: "string" } }],
    responses: { 200: { description: "The thing." } },
  },
};
const READ_BACK = { operation: "lookup", parameters: { ref: "ref" } };

/** Compares a reply with a payload whose `value` has this schema. `at`: the attr that the contract compares with it. */
function compared(schema: object, payload: JsonObject, replied: JsonValue, at = "value"): ComparedRecord {
  const readBacks = [{ ...READ_BACK, match: { value: at } }];
  const contract = contractOf(
    { ref: { type: "string" }, value: schema },
    { operation: { "x-migrate-key": "ref", "x-migrate-read-back": readBacks }, paths: { "/things/{ref}/": LOOKUP } },
  );
  const [readBack] = contract.operations.flatMap((operation) => operation.readBack);
  if (readBack === undefined) throw new Error("the contract has no read-back");
  return compareContent({ value: replied }, { payload: { ref: "R1", ...payload }, isAsSent: true }, readBack, ["ref"]);
}

const DECIMAL = { type: "string", format: "decimal" };
const TEXT = { type: "string" };
const DATE_TIME = { type: "string", format: "date-time" };
const PRICE = { type: "object", properties: { amount: DECIMAL, name: TEXT } };

function listOf(items: object): object {
  return { type: "array", items };
}

it.each<[string, object, JsonValue, JsonValue, boolean]>([
  ["decimal", DECIMAL, "10.50", 10.5, true],
  ["decimal", DECIMAL, "10.50", "1.05e1", true],
  ["decimal", DECIMAL, "0", "-0.00", true],
  ["decimal", DECIMAL, "0.50", ".5", true],
  ["decimal", DECIMAL, "10.50", "10.51", false],
  ["decimal", DECIMAL, "10.50", "ten", false],
  ["integer", { type: "integer" }, 7, "7.0", true],
  ["text", TEXT, "1.50", "1.5", false],
  ["text", TEXT, "7", 7, true],
  ["text", TEXT, "true", true, false],
  ["text", TEXT, "2024-06-01T10:00:00Z", "2024-06-01T11:00:00+01:00", true],
  ["date-time", DATE_TIME, "2024-06-01T10:00:00Z", "2024-06-01T11:00:00+01:00", true],
  ["date-time", DATE_TIME, "2024-06-01T10:00:00Z", "2024-06-01T10:00:01Z", false],
  ["text with whitespace around it", TEXT, " n\u0085", "n", true],
  ["text with whitespace in it", TEXT, "a b", "ab", false],
  ["decimal with whitespace around it", DECIMAL, " 1.50 ", "1.5", true],
  ["document path", { type: "string", "x-document-path": true }, " a.pdf", "a.pdf", false],
  ["date in a date-time field", DATE_TIME, "2024-06-01", "2024-06-01T00:00:00Z", true],
  ["date in a date-time field", DATE_TIME, "2024-06-01", "2024-06-01T00:00:00+10:00", true],
  ["date in a date-time field", DATE_TIME, "2024-06-01", "2024-05-31T23:00:00Z", true],
  ["date in a date-time field", DATE_TIME, "2024-06-01", "2024-06-01T10:00:00Z", false],
  ["date in a date-time field", DATE_TIME, "2024-06-01", "2024-06-02T00:00:00Z", false],
  ["list of decimals", listOf(DECIMAL), ["1.50", "2"], [1.5, "2.0"], true],
  ["list of decimals", listOf(DECIMAL), ["1.50", "2"], ["2.0", "1.5"], false],
  ["list of decimals", listOf(DECIMAL), ["1.50"], ["1.5", "2"], false],
  ["list of date-times", listOf(DATE_TIME), ["2024-06-01T08:30:00Z"], ["2024-06-01T08:30:00+00:00"], true],
  ["list of text", listOf(TEXT), ["Zoe\u0308"], ["Zo\u00eb"], true],
  ["list of text", listOf(TEXT), ["1.50"], ["1.5"], false],
  ["object", PRICE, { amount: "2.10", name: "Zoe\u0308" }, { name: "Zo\u00eb", amount: "2.1", id: 7 }, true],
  ["object", PRICE, { amount: "2.10", name: "1.50" }, { name: "1.5", amount: "2.1" }, false],
  ["object", PRICE, { amount: "2.10", name: "a" }, { amount: "2.1" }, false],
  ["list of objects", listOf(PRICE), [{ amount: "2.10" }], [{ amount: "2.1", name: null }], true],
  ["union", { oneOf: [PRICE, DECIMAL] }, { amount: "2.10" }, { amount: "2.1" }, true],
  ["union", { oneOf: [{ type: "integer" }, TEXT] }, "007", "7", false],
])("a %s is compared according to its type in the contract", (...[, schema, sent, replied, isEqual]) => {
  expect(compared(schema, { value: sent }, replied)).toMatchObject(
    isEqual ? { kind: "found", compared: ["value"] } : { kind: "different", attrs: ["value"] },
  );
});

it("an attr in a list item is compared according to its type in the contract", () => {
  const sent = { value: [{ amount: "2.10" }] };
  expect(compared(listOf(PRICE), sent, "2.1", "value.0.amount")).toMatchObject({ kind: "found" });
  expect(compared(listOf(PRICE), sent, "2.11", "value.0.amount")).toMatchObject({ kind: "different" });
});

it("the default of the contract equals a value that was not sent, but does not count as compared", () => {
  const schema = { type: "boolean", default: false };
  expect(compared(schema, {}, false)).toMatchObject({ kind: "found", compared: [] });
  expect(compared(schema, {}, true)).toMatchObject({ kind: "different", attrs: ["value"] });
  expect(compared(schema, { value: true }, false)).toMatchObject({ kind: "different", attrs: ["value"] });
});
