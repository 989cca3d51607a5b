import type { CountryCode } from "libphonenumber-js/max";
import { isIsoDate, isIsoDateTime } from "../../time/calendar.ts";
import { FORMAT_NAMES, type FormatName } from "../language/format-names.ts";
import { type CertainPhone, certainPhone } from "./phone-plan.ts";
import { isCompanyNumber, isMirn, isMpan, isMprn, isNmi } from "./check-digits.ts";
import type { Value } from "./expressions/rule-value.ts";

/** Whether a value has the format. True if the format is not defined for the region or for values of this type. */
export type FormatTest = (value: Value, region: Value) => boolean;

/** Returns the test for a format. `phone`: the test for telephone numbers; if absent, every number passes. */
export function formatTest(name: string, phone: PhoneTest | undefined): FormatTest {
  const known = FORMAT_NAMES.find((format) => format === name);
  if (known === undefined) return () => true;
  const fits = isPhoneKind(known) ? phoneFits(known, phone) : FORMATS[known];
  return (value, region) => {
    if (typeof value !== "string" && typeof value !== "number") return true;
    return fits(String(value).trim(), typeof region === "string" ? region.toUpperCase() : undefined);
  };
}

type TextFits = (text: string, region: string | undefined) => boolean;

export function isPhoneKind(name: string): name is PhoneKind {
  return name === "phone" || name === "mobile" || name === "landline";
}

function phoneFits(kind: PhoneKind, phone: PhoneTest | undefined): TextFits {
  return (text, region) => phone?.(text, region, kind) ?? true;
}

const FORMATS: Readonly<Record<Exclude<FormatName, PhoneKind>, TextFits>> = {
  postcode: (text, region) => POSTCODES.get(region ?? "")?.(text) ?? true,
  "uk-postcode": isUkPostcode,
  "au-postcode": isAuPostcode,
  mpan: isMpan,
  mprn: isMprn,
  mpxn: (text) => isMpan(text) || isMprn(text),
  nmi: isNmi,
  mirn: isMirn,
  "sort-code": (text, region) => (SORT_CODES.get(region ?? "") ?? BRITISH_SORT_CODE).test(text),
  "company-number": (text, region) => isCompanyNumber(text, region ?? "") ?? true,
  integer: (text) => /^[-+]?\d+$/.test(text.replaceAll(/\s/g, "")),
  caps: (text) => /^[A-Z]+$/.test(text),
  "not-blank": (text) => text !== "",
  "two-lines": (text) => {
    const lines = text.split(/\r\n|\r|\n/);
    return lines.length <= 2 && lines.every((line) => Array.from(line).length <= 30);
  },
  "delivery-point-id": (text) => /^[A-Z0-9]+$/.test(text),
  "portfolio-number": (text) => /^P-[A-Z0-9]{8}$/.test(text),
  "scheme-label": (text) => /^(?:time_of_use|register):.+$/.test(text),
  "tax-year": isTaxYear,
  "iso-date": isIsoDate,
  "iso-datetime": (text) => isIsoDate(text) || isIsoDateTime(text) || isIsoDateTime(`${text}Z`),
  "email-not-test": (text) => !TEST_EMAIL.test(text),
  "email-not-blackhole": (text) => !text.toLowerCase().includes("blackhole+"),
};

/**
 * Whether the text is an outward code and an inward code, in upper or lower case, with an optional space between them.
 * Platforms normalise postcodes. Source: the regular expression in the British government's "Bulk Data Transfer"
 * schema. It is based on BS 7666 and includes the exception GIR 0AA.
 */
function isUkPostcode(text: string): boolean {
  return UK_POSTCODE.test(text.toUpperCase());
}

const UK_POSTCODE =
  /^(?:GIR ?0AA|(?:[A-PR-UWYZ]\d{1,2}|[A-PR-UWYZ][A-HK-Y]\d{1,2}|[A-PR-UWYZ]\d[A-HJKPSTUW]|[A-PR-UWYZ][A-HK-Y]\d[ABEHMNPRV-Y]) ?\d[ABD-HJLNP-UW-Z]{2})$/;

/**
 * Whether the text has four digits and is at least 0200, the lowest assigned code. Source: Australia Post, "Postcodes".
 */
function isAuPostcode(text: string): boolean {
  return /^(?!0[01])\d{4}$/.test(text);
}

const POSTCODES: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["GB", isUkPostcode],
  ["AU", isAuPostcode],
]);

const BRITISH_SORT_CODE = /^\d{2}([- ]?)\d{2}\1\d{2}$/;

/**
 * Sort codes by region. A British sort code has three pairs of digits; an Australian BSB has two groups of three
 * digits. Any other region has the British format.
 */
const SORT_CODES: ReadonlyMap<string, RegExp> = new Map([
  ["GB", BRITISH_SORT_CODE],
  ["AU", /^\d{3}[- ]?\d{3}$/],
]);

/** Whether the text is a tax year such as `2018/19`, whose second part is the year after the first. */
function isTaxYear(text: string): boolean {
  const [, first, second] = /^(\d{4})\/(\d{2})$/.exec(text) ?? [];
  return first !== undefined && (Number(first) + 1) % 100 === Number(second);
}

/**
 * Addresses that operators publish as test addresses: `test@` and `xxx@` at any domain, all addresses at `test.com` and
 * `test.co.uk`, and domains that end in `.xx` or `.xxx`.
 */
const TEST_EMAIL = /^(?:test|xxx)@|@test\.(?:com|co\.uk)$|\.xxx?$/i;

/**
 * Whether the text is a valid telephone number of this kind: a national number of the region, or an international
 * number with a country code.
 */
export type PhoneTest = (text: string, region: string | undefined, kind: PhoneKind) => boolean;
type PhoneKind = "phone" | "mobile" | "landline";

/**
 * Loads the numbering plans of all countries from the metadata of libphonenumber. Platforms use the same library, with
 * small differences between versions. The metadata is loaded on demand, because it takes longer to load than all other
 * code for rules.
 */
export async function loadPhoneTest(): Promise<PhoneTest> {
  const [{ isSupportedCountry, parsePhoneNumberFromString }, { default: metadata }] = await Promise.all([
    import("libphonenumber-js/max"),
    import("libphonenumber-js/max/metadata"),
  ]);
  const isCountry = (region: string): region is CountryCode => isSupportedCountry(region);
  const isValid: PhoneTest = (text, region, kind) => {
    const country = region !== undefined && isCountry(region) ? region : undefined;
    const number = parsePhoneNumberFromString(text, { ...(country && { defaultCountry: country }), extract: false });
    if (number === undefined || !number.isValid()) return false;
    const type = kind === "phone" ? undefined : number.getType();
    if (type === undefined) return true;
    return (type === "MOBILE") === (kind === "mobile") || type === "FIXED_LINE_OR_MOBILE";
  };
  const certain = new Map<string, CertainPhone | undefined>();
  return (text, region, kind) => {
    if (region !== undefined && !certain.has(region)) {
      certain.set(region, isCountry(region) ? certainPhone(region, metadata) : undefined);
    }
    const isCertain = region === undefined ? undefined : certain.get(region);
    return isCertain?.(text, kind) === true || isValid(text, region, kind);
  };
}
