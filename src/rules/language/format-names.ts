/** The formats that `matches-format` and `is-format()` support (docs/rules.md, "Formats"). */
export const FORMAT_NAMES = [
  "postcode",
  "uk-postcode",
  "au-postcode",
  "mpan",
  "mprn",
  "mpxn",
  "nmi",
  "mirn",
  "phone",
  "mobile",
  "landline",
  "sort-code",
  "company-number",
  "integer",
  "caps",
  "not-blank",
  "two-lines",
  "delivery-point-id",
  "portfolio-number",
  "scheme-label",
  "tax-year",
  "iso-date",
  "iso-datetime",
  "email-not-test",
  "email-not-blackhole",
] as const;

/** Formats that cannot be checked without a region. */
const REGIONAL: readonly FormatName[] = ["postcode", "company-number"];

/** Returns the error for a format that is used without its region, or undefined if the format needs no region. */
export function missingRegion(format: string): string | undefined {
  return REGIONAL.some((name) => name === format)
    ? `the format "${format}" depends on a region: add the region, for example config.region`
    : undefined;
}

export type FormatName = (typeof FORMAT_NAMES)[number];
