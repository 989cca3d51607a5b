import { InvalidArgumentError } from "commander";
import { isIsoDate } from "../../time/calendar.ts";
import {
  AUTH_SCHEMES,
  type AuthScheme,
  isCode,
  type MaxErrors,
  MAX_RATE,
  MAX_CONCURRENCY,
  MAX_THREADS,
  MIN_RATE,
  type OptionRow,
} from "../../options/option-row.ts";
import { FUELS, RATE_KINDS } from "../../platform/reading/rate-kinds.ts";
import { FORMATS, RECORD_FORMATS } from "../../report/formats/output-format.ts";
import type { Trigger } from "../../sandbox/faults/fault-options.ts";
import { SUPPLIER_STATUSES, type SupplierStatus } from "../../model/supplier-status.ts";

/** Choices that other modules define. Option tables refer to them by these names. */
export const CHOICES: {
  readonly format: typeof FORMATS;
  readonly recordFormat: typeof RECORD_FORMATS;
  readonly fuel: typeof FUELS;
  readonly rateKind: typeof RATE_KINDS;
} = { format: FORMATS, recordFormat: RECORD_FORMATS, fuel: FUELS, rateKind: RATE_KINDS };

/** The sandbox checks the same statuses. Importing its list would load the sandbox at every start. */
export const ERROR_STATUSES = [500, 502, 503, 504] as const;

/** Parsers of option values by kind. `before` is the previous value. */
export const PARSERS = {
  filled: (text: string): string => {
    if (text.trim() !== "") return text;
    throw new InvalidArgumentError(EMPTY);
  },

  /** Appends to the previous values, because the option or argument is repeatable. */
  allFilled: (text: string, before: unknown): readonly string[] => [...listOf(before), PARSERS.filled(text)],

  path: (text: string): string => PARSERS.filled(text),

  paths: (text: string, before: unknown): readonly string[] => PARSERS.allFilled(text, before),

  /** Accepts whitespace: a delimiter can be a tab. */
  text: (text: string): string => {
    if (text !== "") return text;
    throw new InvalidArgumentError(EMPTY);
  },

  code: (text: string): string => {
    if (isCode(text)) return text;
    throw new InvalidArgumentError("Expected a code without whitespace at its start or end.");
  },

  keys: (text: string, before: unknown): readonly string[] => {
    const keys = text
      .split(",")
      .map((key) => key.trim())
      .filter((key) => key !== "");
    if (keys.length === 0) throw new InvalidArgumentError(EMPTY);
    return [...listOf(before), ...keys];
  },

  number: (text: string, _before: unknown, range: Range = [0]): number => wholeNumber(text, range),

  count: (text: string): number => PARSERS.number(text, undefined, [1, 1_000_000_000]),

  rate: (text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && value >= MIN_RATE && value <= MAX_RATE) return value;
    throw new InvalidArgumentError(`Expected a number of requests per second from ${MIN_RATE} to ${MAX_RATE}.`);
  },

  /** Returns milliseconds. */
  duration: (text: string): number => {
    const [, amount, unit = "s"] = /^(\d{1,9})(s|m|h|d)?$/.exec(text) ?? [];
    if (amount !== undefined) return Number(amount) * (UNIT_MS[unit] ?? 0);
    throw new InvalidArgumentError("Expected a duration such as 90s, 30m, 2h or 1d.");
  },

  day: (text: string): string => {
    if (isIsoDate(text)) return text;
    throw new InvalidArgumentError("Expected a date such as 2026-01-31.");
  },

  concurrency: (text: string): "auto" | number => autoOr(text, [1, MAX_CONCURRENCY]),

  threads: (text: string): "auto" | number => autoOr(text, [1, MAX_THREADS]),

  /** A port without a host means the loopback address, which other machines cannot reach. */
  listenAddress: (text: string): ListenAddress => {
    const [, bracketed, plain, digits] = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):)?(\d{1,5})$/.exec(text) ?? [];
    const port = Number(digits);
    if (digits !== undefined && port <= 65_535) return { host: bracketed ?? plain ?? "127.0.0.1", port };
    throw new InvalidArgumentError(
      "Expected host:port, such as 0.0.0.0:9464. A port alone, such as 9464, accepts connections only from this machine.",
    );
  },

  authScheme: (text: string): AuthScheme => {
    const known = AUTH_SCHEMES.find((scheme) => scheme.toLowerCase() === text.toLowerCase());
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`Expected one of ${AUTH_SCHEMES.join(", ")}.`);
  },

  maxErrors: (text: string): MaxErrors => {
    const [, count, percent] = /^(?:(\d+)|(\d+(?:\.\d+)?)%)$/.exec(text) ?? [];
    if (count !== undefined) return { count: Number(count) };
    if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
    throw new InvalidArgumentError("Expected a number of records (20) or a share of the records (5%).");
  },

  boolean: (text: string): boolean => {
    if (text === "true" || text === "false") return text === "true";
    throw new InvalidArgumentError("Expected true or false.");
  },

  trigger: (text: string): Trigger => {
    const [, every, percent, list] = /^(?:every:(\d+)|(\d+(?:\.\d+)?)%|at:(\d+(?:,\d+)*))$/.exec(text) ?? [];
    if (every !== undefined && Number(every) > 0) return { every: Number(every) };
    if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
    if (list !== undefined) return { at: list.split(",").map(Number) };
    throw new InvalidArgumentError(
      "Expected every:10 (every tenth request), 5% (a share of the requests) or at:3,7 (requests 3 and 7).",
    );
  },

  latency: (text: string): number | readonly [number, number] => {
    const [, from, to] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
    if (from === undefined || Number(from) > Number(to ?? from))
      throw new InvalidArgumentError("Expected a number of milliseconds such as 50, or a range such as 20-80.");
    return to === undefined ? Number(from) : [Number(from), Number(to)];
  },

  errorStatus: (text: string): 500 | 502 | 503 | 504 => {
    const known = ERROR_STATUSES.find((status) => String(status) === text);
    if (known !== undefined) return known;
    throw new InvalidArgumentError("Expected 500, 502, 503 or 504.");
  },

  retryAfter: (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : PARSERS.filled(text)),

  suppliers: (text: string): Readonly<Record<string, SupplierStatus>> => {
    const given = text.split(",").map((entry) => {
      const [code = "", status = "Ongoing", ...more] = entry.split("=");
      const known = SUPPLIER_STATUSES.find((one) => one === status);
      if (code.trim() === "" || known === undefined || more.length > 0) {
        throw new InvalidArgumentError(
          `Expected codes, each with an optional status: ${SUPPLIER_STATUSES.join(", ")}.`,
        );
      }
      return [code.trim(), known] as const;
    });
    const statuses = Object.fromEntries(given);
    if (Object.keys(statuses).length < given.length) throw new InvalidArgumentError("A code occurs twice.");
    return statuses;
  },
};

const EMPTY = "The value is empty. Enter a value, or omit the option or argument.";

export interface ListenAddress {
  readonly host: string;
  /** The port number; 0 selects any free port. */
  readonly port: number;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function listOf(before: unknown): readonly string[] {
  return Array.isArray(before) ? before.map(String) : [];
}

type Range = NonNullable<OptionRow["range"]>;

function autoOr(text: string, range: Range): "auto" | number {
  return text === "auto" ? "auto" : wholeNumber(text, range, ", or auto");
}

function wholeNumber(text: string, [min, max]: Range, otherwise = ""): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return value;
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new InvalidArgumentError(`Expected a whole number ${range}${otherwise}.`);
}
