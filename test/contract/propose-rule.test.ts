import { describe, expect, it } from "vitest";
import { proposeRule } from "../../src/contract/describe/propose-rule.ts";
import { bodyOf, contractOf } from "./contract-of.ts";

const validator = (description: string, code = "the_code"): object => ({
  "x-validators": [{ name: "Validate", description, possible_errors: [code] }],
});
const meter = (more: object): object => ({
  Meter: {
    type: "object",
    properties: { start_date: { type: "string" }, end_date: { type: "string" }, serial: { type: "string" } },
    ...more,
  },
});

function proposal(more: object, attr = "meters.*.non_field_errors"): ReturnType<typeof proposeRule> {
  const meters = { type: "array", items: { $ref: "#/components/schemas/Meter" } };
  return proposeRule(bodyOf(contractOf({ meters }, { schemas: meter(more) })), "the_code", attr);
}

function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

describe("a rule for a code that the platform returned", () => {
  it.each([
    [
      "<p>The <code>start_date</code> must be before the <code>end_date</code></p>",
      "date-order",
      { earlier: "start_date", later: "end_date" },
    ],
    ["serial must be unique", "unique-by", { key: ["serial"] }],
    ["start_date must not be in the future", "not-future", { value: "start_date" }],
    ["Either serial or start_date has to be there", "requires-one-of", { fields: ["start_date", "serial"] }],
    ["start_date and serial are mutually exclusive", "forbids-together", { fields: ["start_date", "serial"] }],
    ["Agreements overlap", "no-overlap", {}],
    ["end_date is required if serial is set", "required-when", { fields: ["end_date", "serial"] }],
  ])("is proposed for the description: %s -> %s", (description, kind, members) => {
    const found = proposal(validator(description));
    const message = expect.any(String);
    expect(found).toEqual({
      target: '$.components.schemas["Meter"]',
      rule: { code: "the_code", kind, ...members, message },
    });
  });

  it("is not proposed if nothing is published or the description is inconclusive", () => {
    expect(proposal({})).toBeUndefined();
    expect(proposal(validator("serial must be unique", "another_code"))).toBeUndefined();
    expect(proposal(validator("Hm."))).toBeUndefined();
  });

  it("is proposed for the published location nearest to the platform's error", () => {
    const customer = { type: "object", properties: { phone: { type: "string", ...validator("valid phone number") } } };
    const schemas = { Customer: customer, Broker: customer };
    const body = bodyOf(
      contractOf(
        { broker: reference("Broker"), customers: { type: "array", items: reference("Customer") } },
        { schemas },
      ),
    );
    expect(proposeRule(body, "the_code", "customers.*.phone")?.target).toBe('$.components.schemas["Customer"]');
    expect(proposeRule(body, "the_code", "broker.phone")?.target).toBe('$.components.schemas["Broker"]');
  });
});
