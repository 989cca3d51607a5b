import { expect, it } from "vitest";
import { publishedSentence } from "../../../src/contract/describe/published-codes.ts";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { contractOf } from "../contract-of.ts";

const published = (description: string, ...codes: readonly string[]): object => ({
  name: "Validate the meter",
  description,
  possible_errors: codes,
});

/** Returns a body, and the type of its only property `meter`. `meter` and its field `serial` have these validators. */
function meterBody(own: readonly object[], atSerial: readonly object[] = []): { body: FieldType; type: FieldType } {
  const meter = {
    type: "object",
    properties: { serial: { type: "string", "x-validators": atSerial } },
    "x-validators": own,
  };
  const body = contractOf({ meter }).operations[0]?.body;
  const type = body?.kind === "object" ? body.properties.get("meter")?.type : undefined;
  if (body === undefined || type === undefined) throw new Error("the contract has no body");
  return { body, type };
}

it.each([
  [
    "Validates that each register has a single reading.",
    "The contract requires that each register has a single reading.",
  ],
  [
    "Ensure that <code>⁨serial⁩</code>, if given, is known. More.",
    "The contract requires that serial, if given, is known.",
  ],
  ["<p>Either of the two&nbsp;is given.</p>", "The contract says: Either of the two is given."],
  ["", "The contract says: Validate the meter"],
])("turns the description %j into the sentence %j", (description, sentence) => {
  const { body, type } = meterBody([published(description, "meter_wrong")]);
  expect(publishedSentence(body, { code: "meter_wrong", type })).toBe(sentence);
});

it("ignores a description that is only a translation key", () => {
  const { body, type } = meterBody([published("import--meter--help-text", "meter_wrong")]);
  expect(publishedSentence(body, { code: "meter_wrong", type })).toBeUndefined();
});

it("prefers the description of the attr's own field to the description of the enclosing object", () => {
  const { body, type } = meterBody(
    [published("Validate that the meter is known.", "wrong")],
    [published("Validate that the serial is known.", "wrong")],
  );
  expect(publishedSentence(body, { code: "wrong", type, attr: ["serial"] })).toBe(
    "The contract requires that the serial is known.",
  );
  expect(publishedSentence(body, { code: "wrong", type })).toBe("The contract requires that the meter is known.");
});

it("uses the code's description from another part of the body, unless several parts describe the code", () => {
  const { body } = meterBody([published("Validate that the meter is known.", "wrong", "other")]);
  expect(publishedSentence(body, { code: "other", type: body })).toBe("The contract requires that the meter is known.");
  expect(publishedSentence(body, { code: "third", type: body })).toBeUndefined();
  const two = meterBody([published("Validate that a is known.", "wrong"), published("Validate that b is.", "wrong")]);
  expect(publishedSentence(two.body, { code: "wrong", type: two.body })).toBeUndefined();
});
