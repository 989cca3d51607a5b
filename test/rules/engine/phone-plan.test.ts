import fc from "fast-check";
import { type CountryCode, getCountries, parsePhoneNumberFromString } from "libphonenumber-js/max";
import metadata from "libphonenumber-js/max/metadata";
import { describe, expect, it } from "vitest";
import { certainPhone } from "../../../src/rules/engine/phone-plan.ts";

const KINDS = ["phone", "mobile", "landline"] as const;

/** National numbers that are close to valid numbers: their first digits are common in Britain or Australia. */
const digits = fc
  .tuple(
    fc.constantFrom("7400", "7", "1223", "20", "800", "76", "4", "412", "2", "3", "89162", "1300", "183", "5", ""),
    fc.stringMatching(/^\d{3,10}$/),
  )
  .map((parts) => parts.join(""));

const forms = (country: CountryCode, national: string): readonly string[] => {
  const code = metadata.countries[country]?.[0];
  return [`0${national}`, `(0${national.slice(0, 1)}) ${national.slice(1)}`, `+${code} ${national}`, `00${national}`];
};

function isValid(country: CountryCode, text: string, kind: (typeof KINDS)[number]): boolean {
  const number = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  const type = number?.getType();
  if (number?.isValid() !== true) return false;
  return kind === "phone" || type === "FIXED_LINE_OR_MOBILE" || (type === "MOBILE") === (kind === "mobile");
}

describe("phone numbers that are certainly valid", () => {
  const plans = getCountries().flatMap((country) => {
    const isCertain = certainPhone(country, metadata);
    return isCertain === undefined ? [] : [{ country, isCertain }];
  });
  const usual = plans.filter(({ country }) => country === "GB" || country === "AU");

  it("are also valid according to libphonenumber", () => {
    let certain = 0;
    const plan = fc.oneof(fc.constantFrom(...usual), fc.constantFrom(...plans));
    fc.assert(
      fc.property(plan, digits, ({ country, isCertain }, national) => {
        for (const text of forms(country, national)) {
          for (const kind of KINDS) {
            if (!isCertain(text, kind)) continue;
            certain += 1;
            expect([country, text, kind, isValid(country, text, kind)]).toEqual([country, text, kind, true]);
          }
        }
      }),
      { numRuns: 1500 },
    );
    expect(certain).toBeGreaterThan(100);
  });

  it.each([
    ["GB", "07400 123456", "mobile"],
    ["GB", "+44 20 7946 0018", "landline"],
    ["AU", "(02) 9876 5432", "landline"],
    ["AU", "0412 345 678", "mobile"],
    ["AU", "+61 412 345 678", "phone"],
  ] as const)("include %s %s as %s", (country, text, kind) => {
    expect(certainPhone(country, metadata)?.(text, kind)).toBe(true);
  });
});
