/** The formats that `matches-format` and `is-format()` know (docs/rules.md, "Formats"). */
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

/** Formats of which nothing can be said without a region. */
const REGIONAL: readonly FormatName[] = ["postcode", "company-number"];

/** What is wrong with a format without a region; undefined when it does without. */
export function missingRegion(format: string): string | undefined {
  return REGIONAL.some((name) => name === format)
    ? `the format "${format}" is that of a region: name it, such as config.region`
    : undefined;
}

export type FormatName = (typeof FORMAT_NAMES)[number];
