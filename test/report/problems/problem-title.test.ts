import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalFinding, Problem } from "../../../src/model/problem.ts";
import { fieldWords, problemTitle } from "../../../src/report/problems/problem-title.ts";

const INVALID: LocalFinding = { code: "invalid", expected: "pattern" };
const ADDRESS = { attr: "customers.0.billing_postcode", severity: "error" } as const;

function local(finding: LocalFinding, attr: string = ADDRESS.attr): Problem {
  return { ...ADDRESS, attr, by: "local", ...finding };
}

function platform(code: string, attr: string = ADDRESS.attr): Problem {
  return { ...ADDRESS, attr, by: "platform", code, detail: "The reason." };
}

describe("problemTitle", () => {
  it.each<[string, Problem]>([
    ["Billing postcode is not valid", local(INVALID)],
    ["Billing postcode is missing", local({ code: "required" })],
    ["Meter points are missing", local({ code: "required" }, "supply_addresses.0.meter_points")],
    ["Address is missing", local({ code: "blank" }, "address")],
    [
      "External account number occurs twice",
      local(
        { code: "duplicate_key", other: { file: "a.csv", line: 2 }, sameContent: false },
        "external_account_number",
      ),
    ],
    ["Customers have too few entries", local({ code: "min_length", limit: 1, unit: "items" }, "customers")],
    ["Name is too long", local({ code: "max_length", limit: 9, unit: "characters" }, "name")],
    ["Move in date is in the future", { ...rule("not-future"), attr: "move_in_date" }],
    ["Move in date is not valid", { ...rule("date-order"), attr: "move_in_date" }],
    ["Billing postcode is not valid", platform("invalid_postcode")],
    ["Billing postcode is missing", platform("required")],
    ["Billing postcode is not accepted by the platform", platform("meter_in_use")],
    ["Readings are different on the platform", platform("conflict", "readings")],
    ["The platform: The reason", platform("meter_in_use", "non_field_errors")],
    ["The record is older than content already sent", local({ code: "stale" })],
    ["No row of accounts has this key", local({ code: "source_orphan_row", parent: "accounts" })],
  ])("is %s", (title, problem) => {
    expect(problemTitle(problem, undefined)).toBe(title);
  });

  it("uses the title of the contract", () => {
    expect(problemTitle(local(INVALID), (attr) => `Title of ${attr}`)).toBe(`Title of ${ADDRESS.attr} is not valid`);
  });

  it("does not confuse a code with a property of all objects", () => {
    expect(problemTitle(platform("constructor"), undefined)).toBe("Billing postcode is not accepted by the platform");
  });
});

function rule(name: string): Problem & { readonly rule: string } {
  return { ...ADDRESS, by: "local", code: "CODE", rule: name, fields: [] };
}

describe("fieldWords", () => {
  it.each([
    ["customers.0.billing_address1", "Billing address 1"],
    ["customers.*.given_name", "Given name"],
    ["accountNumber", "Account number"],
    ["homeMPAN", "Home MPAN"],
    ["POST_CODE", "POST CODE"],
    ["document_paths.*", "Document paths"],
    ["line2text", "Line2text"],
    ["non_field_errors", undefined],
    ["0", undefined],
    ["_", undefined],
  ])("expresses %s in words: %s", (attr, words) => {
    expect(fieldWords(attr)).toBe(words);
  });

  it("keeps every letter and digit of the last name", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,20}$/), (name) => {
        expect(fieldWords(`a.0.${name}`)?.replaceAll(" ", "").toLowerCase()).toBe(
          name.replaceAll("_", "").toLowerCase(),
        );
      }),
    );
  });
});
