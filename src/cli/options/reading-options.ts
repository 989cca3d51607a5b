import type { Option } from "commander";
import { type FlagsOf, optionsOf } from "./option-table.ts";
import type { Flags } from "./options.ts";

const FORMAT = {
  format: {
    arg: "<format>",
    choices: "recordFormat",
    help: "what goes to stdout (default: text on a terminal, else ndjson)",
  },
} as const;

const EXTENT = {
  all: { help: "every page" },
  page: {
    arg: "<n>",
    kind: "number",
    range: [1, 10_000],
    conflicts: ["all"],
    help: "the page of this number alone (default: the first)",
  },
} as const;

const PRODUCTS = {
  brand: { arg: "<code>", help: "only products of this brand" },
  green: { arg: "[true|false]", kind: "boolean", preset: "true", help: "only products green energy, or not" },
  prepay: { arg: "[true|false]", kind: "boolean", preset: "true", help: "only products paid in advance, or not" },
  tracker: {
    arg: "[true|false]",
    kind: "boolean",
    preset: "true",
    help: "only products tracking the market's price, or not",
  },
  variable: { arg: "[true|false]", kind: "boolean", preset: "true", help: "only products at a variable price, or not" },
  business: { arg: "[true|false]", kind: "boolean", preset: "true", help: "only products for businesses, or not" },
  historical: { arg: "[true|false]", kind: "boolean", preset: "true", help: "only products no longer on sale, or not" },
  availableAt: { arg: "<time>", help: "only products on sale at this time" },
} as const;

const RATES = {
  from: { arg: "<time>", help: "rates from then on: 2026-03-29, 2026-03-29T12:30Z" },
  to: { arg: "<time>", help: "rates until then" },
  fuel: { arg: "<fuel>", choices: "fuel", default: "electricity", help: "what the tariff is for" },
  kind: { arg: "<kind>", choices: "rateKind", default: "standard", help: "which of its rates" },
  chronological: { help: "the earliest first (default: the latest)" },
  plot: {
    conflicts: ["to", "format", "all", "page", "chronological"],
    help: "draw the rates of one day: of --from, or today",
  },
} as const;

const TOKEN = { show: { help: "show the token itself" } } as const;

/** Of the commands that read from the platform. */
export type ReadingFlags = Flags & FlagsOf<typeof FORMAT>;
export type ListFlags = ReadingFlags & FlagsOf<typeof EXTENT>;
export type ProductFlags = ListFlags & FlagsOf<typeof PRODUCTS>;
export type RateFlags = ListFlags & FlagsOf<typeof RATES>;
export type TokenFlags = Flags & FlagsOf<typeof TOKEN> & { readonly format: "text" | "json" };

export const recordFormatOptions: readonly Option[] = optionsOf(FORMAT);
export const productOptions: readonly Option[] = [...optionsOf(PRODUCTS), ...optionsOf(EXTENT)];
export const rateOptions: readonly Option[] = [...optionsOf(RATES), ...optionsOf(EXTENT)];
export const tokenOptions: readonly Option[] = optionsOf(TOKEN);
