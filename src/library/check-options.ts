import { FUNCTION_TIMEOUT } from "../job/functions/function-timeout.ts";
import { Failure } from "../model/failure.ts";
import { STATUSES } from "../model/outcome.ts";
import { FUELS, RATE_KINDS } from "../platform/reading/rate-kinds.ts";
import { isIsoDate } from "../time/calendar.ts";
import { suggestionOr } from "../text/suggestion.ts";

/** The type of an option, as shown in messages. */
type Kind =
  | "a string"
  | "a date such as 2026-01-31"
  | "a list of statuses"
  | "a string or a list of strings"
  | "a list of strings"
  | "lists of strings by name"
  | "strings by name"
  | "settings by name"
  | "true or false"
  | "a number from 0"
  | "a number of seconds from 0.1 to 3600"
  | "a whole number from 1"
  | 'a whole number from 1, or "auto"'
  | 'a whole number from 1 to 64, or "auto"'
  | "{ count } or { share }, a share from 0 to 1"
  | '"test" or "production"'
  | '"electricity" or "gas"'
  | '"standard", "day", "night" or "standing"'
  | "an AbortSignal"
  | "a function";

/** The type of every option of a call; the compiler ensures that none is missing. */
export type OptionKinds<Options> = Readonly<Record<keyof Options, Kind>>;

const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** The same limit as on the command line. */
const MOST_THREADS = 64;
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const TESTS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  "a string": isText,
  "a date such as 2026-01-31": (value) => isText(value) && isIsoDate(value),
  "a list of statuses": isStatuses,
  "a string or a list of strings": (value) => isText(value) || isTexts(value),
  "a list of strings": isTexts,
  "lists of strings by name": (value) => isObject(value) && Object.values(value).every(isTexts),
  "strings by name": (value) => isObject(value) && Object.values(value).every(isText),
  "settings by name": isObject,
  "true or false": (value) => typeof value === "boolean",
  "a number from 0": (value) => typeof value === "number" && value >= 0,
  "a number of seconds from 0.1 to 3600": (value) =>
    typeof value === "number" && value >= FUNCTION_TIMEOUT.least && value <= FUNCTION_TIMEOUT.most,
  "a whole number from 1": isCount,
  'a whole number from 1, or "auto"': (value) => value === "auto" || isCount(value),
  'a whole number from 1 to 64, or "auto"': (value) =>
    value === "auto" || (isCount(value) && Number(value) <= MOST_THREADS),
  "{ count } or { share }, a share from 0 to 1": isMaxErrors,
  '"test" or "production"': (value) => value === "test" || value === "production",
  '"electricity" or "gas"': (value) => FUELS.some((fuel) => fuel === value),
  '"standard", "day", "night" or "standing"': (value) => RATE_KINDS.some((kind) => kind === value),
  "an AbortSignal": (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
  "a function": (value) => typeof value === "function",
};

function isStatuses(value: unknown): boolean {
  return Array.isArray(value) && value.every((status) => STATUSES.some((one) => one === status));
}

function isMaxErrors(value: unknown): boolean {
  if (!isObject(value)) return false;
  const [[name, most] = [], ...others] = Object.entries(value);
  const isNumber = typeof most === "number" && most >= 0;
  return others.length === 0 && isNumber && (name === "count" || (name === "share" && most <= 1));
}

/** @throws Failure `usage` for unknown statuses */
export function requireStatuses(statuses: unknown): void {
  if (statuses === undefined || isStatuses(statuses)) return;
  throw new Failure("usage", "outcomes: `statuses` is a list of statuses", {
    hint: `valid statuses: ${STATUSES.join(", ")}`,
  });
}

/**
 * Checks options from untyped programs: rejects an unknown option, a missing one, or one of the wrong type. Messages
 * quote no values, because they may be secrets.
 * @param where location of the options: `push`, `push: target`
 * @throws Failure `usage`
 */
export function requireOptions<Options extends object>(
  options: Options,
  kinds: OptionKinds<Options>,
  { where, required = [] }: { readonly where: string; readonly required?: readonly (keyof Options & string)[] },
): void {
  if (!isObject(options)) throw new Failure("usage", `${where}: an object with its options is expected`);
  const tests: ReadonlyMap<string, Kind> = new Map(Object.entries<Kind>(kinds));
  for (const [name, value] of Object.entries(options)) {
    const kind = tests.get(name);
    if (kind === undefined) throw unknownOption(name, where, [...tests.keys()]);
    if (value !== undefined && !TESTS[kind](value)) {
      const expected = typeof value === "string" && value.includes("\0") ? `${kind} without a NUL` : kind;
      throw new Failure("usage", `${where}: \`${name}\` is ${expected}`);
    }
  }
  const missing = required.find((name) => options[name] === undefined);
  if (missing === undefined) return;
  throw new Failure("usage", `${where}: \`${missing}\` is missing`, { hint: `it is ${kinds[missing]}` });
}

function unknownOption(name: string, where: string, known: readonly string[]): Failure {
  return new Failure("usage", `${where}: unknown option \`${name}\``, {
    hint: suggestionOr(`valid options: ${known.join(", ")}`, name, known),
  });
}
