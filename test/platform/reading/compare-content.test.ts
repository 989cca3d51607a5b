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
const READ_BACK = { operation: "lookup", parameters: { ref: "ref" }, match: { value: "value" } };

/** Compares a reply with a payload whose `value` has this schema. */
function compared(schema: object, payload: JsonObject, replied: JsonValue): ComparedRecord {
  const contract = contractOf(
    { ref: { type: "string" }, value: schema },
    { operation: { "x-migrate-key": "ref", "x-migrate-read-back": [READ_BACK] }, paths: { "/things/{ref}/": LOOKUP } },
  );
  const [readBack] = contract.operations.flatMap((operation) => operation.readBack);
  if (readBack === undefined) throw new Error("the contract has no read-back");
  return compareContent({ value: replied }, { payload: { ref: "R1", ...payload }, isAsSent: true }, readBack, ["ref"]);
}

const DECIMAL = { type: "string", format: "decimal" };
const TEXT = { type: "string" };
const DATE_TIME = { type: "string", format: "date-time" };

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
])("a %s is compared according to its type in the contract", (...[, schema, sent, replied, isEqual]) => {
  expect(compared(schema, { value: sent }, replied)).toMatchObject(
    isEqual ? { kind: "found", compared: ["value"] } : { kind: "different", attrs: ["value"] },
  );
});

it("the default of the contract equals a value that was not sent, but does not count as compared", () => {
  const schema = { type: "boolean", default: false };
  expect(compared(schema, {}, false)).toMatchObject({ kind: "found", compared: [] });
  expect(compared(schema, {}, true)).toMatchObject({ kind: "different", attrs: ["value"] });
  expect(compared(schema, { value: true }, false)).toMatchObject({ kind: "different", attrs: ["value"] });
});
