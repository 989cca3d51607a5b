import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { createPlatformCheck } from "../../../src/sandbox/judge/platform-rules.ts";

function codesIn(region: string | undefined, payload: JsonObject): readonly string[] {
  const check = createPlatformCheck({ region, isSupplier: () => true });
  return check(payload).map(({ attr, code }) => `${attr} ${code}`);
}

const BRITISH = { billing_postcode: "DE1 2GU", customers: [{ mobile: "07700 900730", landline: "+44 20 7946 0018" }] };
const AUSTRALIAN = { billing_postcode: "3000", customers: [{ mobile: "0412 345 678", landline: "(02) 9876 5432" }] };
const SERVICE_NUMBERS = {
  customers: [{ landline: "1300 975 707" }, { landline: "131 450" }, { mobile: "+61 491 570 156" }],
};

describe("the sandbox validates telephone numbers and postcodes by the rules of the instance's country:", () => {
  it.each([
    ["GB", BRITISH],
    ["AU", AUSTRALIAN],
    ["AU", SERVICE_NUMBERS],
  ])("%s accepts numbers and postcodes of its own country: %j", (region, payload) => {
    expect(codesIn(region, payload)).toEqual([]);
  });

  it.each([
    ["GB", "+44 (0)20 7946 0123"],
    ["GB", "0044 20 7946 0123"],
    ["GB", "00 1 202 555 0143"],
    ["GB", "07400 123456 ext 12"],
    ["GB", "07400123456#1"],
    ["GB", "07400 123456 x12"],
    ["AU", "+61 (0)2 9937 4123"],
    ["AU", "0011 61 412 345 678"],
  ])("%s accepts the number %j, which has an extension or a prefix", (region, phone) => {
    expect(codesIn(region, { phone })).toEqual([]);
  });

  it.each([
    ["GB", { ...AUSTRALIAN, customers: [{ mobile: "0412 345 678", landline: "131 450" }] }],
    ["AU", { billing_postcode: "DE1 2GU", customers: [{ mobile: "07700 900730 1", landline: "020 7946 00188" }] }],
  ])("%s refuses invalid numbers and postcodes: %j", (region, payload) => {
    expect(codesIn(region, payload)).toEqual([
      "billing_postcode invalid_postcode",
      "customers.0.mobile invalid_phone_number",
      "customers.0.landline invalid_phone_number",
    ]);
  });

  it("any value is accepted if the country is unknown", () => {
    expect(codesIn(undefined, { ...AUSTRALIAN, customers: [{ mobile: "12" }] })).toEqual([]);
    expect(codesIn("NZ", BRITISH)).toEqual([]);
  });

  it("numbers with the prefix of another country, and addresses that name another country, are accepted", () => {
    expect(codesIn("AU", { mobile: "+44 7700 900730", phone: "+1 202 555 0143" })).toEqual([]);
    expect(
      codesIn("GB", { address: { country: "AU", postcode: "3000" }, home: { country: "gb", postcode: "3000" } }),
    ).toEqual(["home.postcode invalid_postcode"]);
    expect(codesIn("AU", { mobile: "+61 12", phone: "+44" })).toEqual([
      "mobile invalid_phone_number",
      "phone invalid_phone_number",
    ]);
  });
});
