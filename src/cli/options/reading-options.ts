import { InvalidArgumentError, Option } from "commander";
import { FUELS, type Fuel, RATE_KINDS, type RateKind } from "../../platform/reading/rate-kinds.ts";
import { RECORD_FORMATS, type RecordFormat } from "../../report/formats/output-format.ts";
import type { Flags } from "./options.ts";
import { wholeNumber } from "./option-values.ts";

/** Of the commands that read from the platform. */
export interface ReadingFlags extends Flags {
  readonly format?: RecordFormat;
}

export interface ListFlags extends ReadingFlags {
  readonly all?: boolean;
  readonly page?: number;
}

export interface ProductFlags extends ListFlags {
  readonly brand?: string;
  readonly green?: boolean;
  readonly prepay?: boolean;
  readonly tracker?: boolean;
  readonly variable?: boolean;
  readonly business?: boolean;
  readonly historical?: boolean;
  readonly availableAt?: string;
}

export interface RateFlags extends ListFlags {
  readonly from?: string;
  readonly to?: string;
  readonly fuel: Fuel;
  readonly kind: RateKind;
  readonly chronological?: boolean;
  readonly plot?: boolean;
}

export const recordFormatOption: Option = new Option(
  "--format <format>",
  "what goes to stdout (default: text on a terminal, else ndjson)",
).choices([...RECORD_FORMATS]);

const MAX_PAGE = 10_000;

export const extentOptions: readonly Option[] = [
  new Option("--all", "every page"),
  new Option("--page <n>", "the page of this number alone (default: the first)")
    .argParser(wholeNumber(1, MAX_PAGE))
    .conflicts("all"),
];

export const productOptions: readonly Option[] = [
  new Option("--brand <code>", "only products of this brand"),
  booleanOption("--green", "green energy"),
  booleanOption("--prepay", "paid in advance"),
  booleanOption("--tracker", "tracking the market's price"),
  booleanOption("--variable", "at a variable price"),
  booleanOption("--business", "for businesses"),
  booleanOption("--historical", "no longer on sale"),
  new Option("--available-at <time>", "only products on sale at this time"),
];

export const rateOptions: readonly Option[] = [
  new Option("--from <time>", "rates from then on: 2026-03-29, 2026-03-29T12:30Z"),
  new Option("--to <time>", "rates until then"),
  new Option("--fuel <fuel>", "what the tariff is for").choices([...FUELS]).default("electricity"),
  new Option("--kind <kind>", "which of its rates").choices([...RATE_KINDS]).default("standard"),
  new Option("--chronological", "the earliest first (default: the latest)"),
  new Option("--plot", "draw the rates of one day: of --from, or today").conflicts([
    "to",
    "format",
    "all",
    "page",
    "chronological",
  ]),
];

function booleanOption(flag: string, what: string): Option {
  return new Option(`${flag} [true|false]`, `only products ${what}, or not`).argParser(booleanOf).preset("true");
}

function booleanOf(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("true or false is expected.");
}
