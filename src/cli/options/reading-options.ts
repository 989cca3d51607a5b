import type { Option } from "commander";
import { type FlagsOf, optionsOf } from "./option-table.ts";
import type { Flags } from "./options.ts";

const FORMAT = {
  format: {
    arg: "<format>",
    choices: "recordFormat",
    help: "format of stdout (default: text on a terminal, otherwise ndjson)",
  },
} as const;

const EXTENT = {
  all: { help: "read all pages" },
  page: {
    arg: "<n>",
    kind: "number",
    range: [1, 10_000],
    conflicts: ["all"],
    help: "number of the page to read (default: 1)",
  },
} as const;

const PRODUCTS = {
  brand: { arg: "<code>", help: "only products of this brand" },
  green: { arg: "[true|false]", kind: "boolean", preset: "true", help: "only green products (false: exclude them)" },
  prepay: {
    arg: "[true|false]",
    kind: "boolean",
    preset: "true",
    help: "only prepayment products (false: exclude them)",
  },
  tracker: {
    arg: "[true|false]",
    kind: "boolean",
    preset: "true",
    help: "only tracker products (false: exclude them)",
  },
  variable: {
    arg: "[true|false]",
    kind: "boolean",
    preset: "true",
    help: "only variable-price products (false: exclude them)",
  },
  business: {
    arg: "[true|false]",
    kind: "boolean",
    preset: "true",
    help: "only business products (false: exclude them)",
  },
  historical: {
    arg: "[true|false]",
    kind: "boolean",
    preset: "true",
    help: "only products no longer on sale (false: exclude them)",
  },
  availableAt: { arg: "<time>", help: "only products on sale at this time" },
} as const;

const RATES = {
  from: { arg: "<time>", help: "all rates from this time (2026-03-29 or 2026-03-29T12:30Z)" },
  to: { arg: "<time>", help: "rates until this time (needs --from)" },
  fuel: { arg: "<fuel>", choices: "fuel", default: "electricity", help: "fuel of the tariff" },
  kind: { arg: "<kind>", choices: "rateKind", default: "standard", help: "kind of rate" },
  chronological: { help: "earliest first (default: latest first)" },
  plot: {
    conflicts: ["to", "format", "all", "page", "chronological"],
    help: "draw a chart of one day's rates: the day of --from, or today",
  },
} as const;

const TOKEN = { show: { help: "show the token itself" } } as const;

/** Options of the commands that read from the platform. */
export type ReadingFlags = Flags & FlagsOf<typeof FORMAT>;
export type ListFlags = ReadingFlags & FlagsOf<typeof EXTENT>;
export type ProductFlags = ListFlags & FlagsOf<typeof PRODUCTS>;
export type RateFlags = ListFlags & FlagsOf<typeof RATES>;
export type TokenFlags = Flags & FlagsOf<typeof TOKEN> & { readonly format: "text" | "json" };

export const recordFormatOptions: readonly Option[] = optionsOf(FORMAT);
export const productOptions: readonly Option[] = [...optionsOf(PRODUCTS), ...optionsOf(EXTENT)];
export const rateOptions: readonly Option[] = [...optionsOf(RATES), ...optionsOf(EXTENT)];
export const tokenOptions: readonly Option[] = optionsOf(TOKEN);
