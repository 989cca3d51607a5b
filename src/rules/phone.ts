import type { CountryCode } from "libphonenumber-js/max";

/** Whether a text is a number that can exist: in the region, or with a country code anywhere. */
export type PhoneTest = (text: string, region: string | undefined, kind: PhoneKind) => boolean;
export type PhoneKind = "phone" | "mobile" | "landline";

/**
 * Loads the numbering plans of all countries (libphonenumber's metadata, from which platforms judge too; editions
 * differ at the edges). Loaded only for contracts that ask: it takes longer than all the rest together.
 */
export async function loadPhoneTest(): Promise<PhoneTest> {
  const { isSupportedCountry, parsePhoneNumberFromString } = await import("libphonenumber-js/max");
  const isCountry = (region: string): region is CountryCode => isSupportedCountry(region);
  return (text, region, kind) => {
    const country = region !== undefined && isCountry(region) ? region : undefined;
    const number = parsePhoneNumberFromString(text, { ...(country && { defaultCountry: country }), extract: false });
    if (number === undefined || !number.isValid()) return false;
    const type = number.getType();
    if (kind === "phone" || type === undefined) return true;
    return (type === "MOBILE") === (kind === "mobile") || type === "FIXED_LINE_OR_MOBILE";
  };
}
