import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { findProduct, findTariff } from "../state/product-catalogue.ts";
import type { PayloadError } from "../sandbox-reply.ts";

/** Checks a payload against the platform's own rules, which the contract need not contain. */
export type PlatformCheck = (payload: JsonValue) => readonly PayloadError[];

interface Rule {
  /**
   * The fields that the sandbox checks even if the contract has no rule for them. A push may therefore receive refusals
   * that `validate` does not predict. The rule also applies to fields whose names end in `_` followed by one of these
   * names.
   */
  readonly fields: readonly string[];
  readonly code: string;
  readonly detail: string;
  readonly holds: (text: string) => boolean;
}

export interface Instance {
  /** Whether an import supplier with this code exists. */
  readonly isSupplier: (code: string) => boolean;
  /**
   * Country code: two capital letters. If no rules exist for the country, telephone numbers and postcodes are not
   * checked.
   */
  readonly region: string | undefined;
}

export function createPlatformCheck({ isSupplier, region = "" }: Instance): PlatformCheck {
  const country = COUNTRIES.get(region);
  const isPhone = (text: string): boolean => country === undefined || isPhoneNumber(text, country);
  const isPostcode = (text: string): boolean => country === undefined || country.postcode.test(text);
  const phones = ["landline", "mobile", "phone", "phone_number", "telephone"];
  const suppliers = ["import_supplier", "import_supplier_code"];
  const noProduct = { code: "product_code_does_not_exist", detail: "There is no such product or tariff." };
  const rules: readonly Rule[] = [
    { fields: phones, code: "invalid_phone_number", detail: "The phone number is not valid.", holds: isPhone },
    { fields: ["postcode"], code: "invalid_postcode", detail: "The postcode is not valid.", holds: isPostcode },
    { fields: ["product_code"], ...noProduct, holds: (code) => findProduct(code) !== undefined },
    { fields: ["tariff_code"], ...noProduct, holds: (code) => findTariff(code) !== undefined },
    { fields: suppliers, code: "does_not_exist", detail: "There is no such import supplier.", holds: isSupplier },
  ];
  const byName = new Map(rules.flatMap((rule) => rule.fields.map((name) => [name, rule] as const)));

  const visit = (value: JsonValue, path: readonly string[], found: PayloadError[]): void => {
    if (isAbroad(value, region)) return;
    if (isJsonArray(value)) value.forEach((item, index) => visit(item, [...path, String(index)], found));
    else if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) visit(member, [...path, name], found);
    else if (typeof value === "string" && value.trim() !== "") {
      const rule = ruleOf(path.at(-1) ?? "", byName);
      if (rule !== undefined && !rule.holds(value.trim()))
        found.push({ attr: path.join("."), code: rule.code, detail: rule.detail });
    }
  };
  return (payload) => {
    const found: PayloadError[] = [];
    visit(payload, [], found);
    return found;
  };
}

/** Looks up the whole name, then the text after each underscore. `billing_postcode` is a `postcode`. */
function ruleOf(field: string, byName: ReadonlyMap<string, Rule>): Rule | undefined {
  const rule = byName.get(field);
  const underscore = field.indexOf("_");
  return rule ?? (underscore < 0 ? undefined : ruleOf(field.slice(underscore + 1), byName));
}

/** Whether an object names another country. The rules of the instance do not apply to such an object. */
function isAbroad(value: JsonValue, region: string): boolean {
  if (!isJsonObject(value)) return false;
  const { country } = value;
  return typeof country === "string" && country.trim() !== "" && country.trim().toUpperCase() !== region;
}

function isPhoneNumber(text: string, country: Country): boolean {
  const digits = plainNumber(text, country);
  return isForeignNumber(digits, country) || country.phoneNumber.test(digits);
}

/** Whether a number has the prefix of another country and a valid length (ITU-T E.164: at most 15 digits). */
function isForeignNumber(digits: string, { callingCode }: Country): boolean {
  return /^\+[1-9]\d{6,14}$/.test(digits) && !digits.startsWith(callingCode);
}

/**
 * Removes separators and the extension from a number. Replaces the prefix for international calls with `+`, and
 * `+44 (0)20` with `+4420`.
 */
function plainNumber(text: string, { callingCode, internationalPrefix }: Country): string {
  const number = text.replace(/\s*(?:;ext=|ext\.?|extension|x|#)\s*\d{1,7}$/i, "");
  const digits = number.replaceAll(/[\s().-]/g, "");
  const dialled = digits.startsWith(internationalPrefix) ? `+${digits.slice(internationalPrefix.length)}` : digits;
  return dialled.startsWith(`${callingCode}0`) ? `${callingCode}${dialled.slice(callingCode.length + 1)}` : dialled;
}

interface Country {
  readonly callingCode: string;
  readonly internationalPrefix: string;
  readonly phoneNumber: RegExp;
  readonly postcode: RegExp;
}

const COUNTRIES: ReadonlyMap<string, Country> = new Map([
  [
    "GB",
    {
      callingCode: "+44",
      internationalPrefix: "00",
      // Ten digits after the leading zero, or nine in a few old areas. The first of these digits is not 0, 4 or 6
      // (Ofcom, national numbering plan).
      phoneNumber: /^(?:\+44|0)[1235789]\d{8,9}$/,
      // An outward code, then an inward code without the letters C, I, K, M, O and V (Royal Mail, Programmers' Guide to
      // PAF).
      postcode:
        /^(?:GIR ?0AA|[A-PR-UWYZ](?:\d{1,2}|[A-HK-Y]\d{1,2}|\d[A-HJKPSTUW]|[A-HK-Y]\d[ABEHMNPRVWXY]) ?\d[ABD-HJLNP-UW-Z]{2})$/i,
    },
  ],
  [
    "AU",
    {
      callingCode: "+61",
      internationalPrefix: "0011",
      // Nine digits after the leading zero, for an area (2, 3, 7, 8) or a mobile (4, 5). Numbers that start with 1 have
      // five to ten digits and no leading zero (ACMA, Telecommunications Numbering Plan).
      phoneNumber: /^(?:(?:\+61|0)[234578]\d{8}|(?:\+61)?1\d{4,9})$/,
      // Four digits (Australia Post).
      postcode: /^\d{4}$/,
    },
  ],
]);
