import type { InvalidChoice } from "../../text/invalid-choice.ts";
import type { ChoiceType, FieldType, UnionType } from "../../contract/types/field-type.ts";
import type { JsonScalar, JsonValue } from "../../json/json-value.ts";
import type { Expected, WrittenForm } from "../../model/problem.ts";
import { isIsoDate, isIsoDateTime, isIsoTime } from "../../time/calendar.ts";
import { listed, suggestionOr } from "../../text/suggestion.ts";
import { integerFrom, isDecimalText, isInteger, isJsonNumber, numberFrom } from "./number-text.ts";

/** The content of a cell: its text, or (in JSON sources) an object or a list. */
export type CellContent = string | JsonValue;

/** Converts the content of a cell to a value of a contract type. */
export type Conversion = (content: CellContent) => JsonValue | ConversionFailure;

/**
 * Returns the conversion that the contract requires at an attr. Text becomes a number or a boolean only if the whole
 * text is a number or a boolean and no digit is lost. Decimals and dates remain text.
 */
export function conversionTo(type: FieldType): Conversion {
  if (type.kind === "choice") return choiceOf(type);
  if (type.kind === "union") return firstOf(type);
  return CONVERSIONS[type.kind];
}

/** A constant as a value, or the reason why the contract does not allow it. */
export type Constant = { readonly value: JsonValue } | { readonly fault: string };

/**
 * Converts a constant of the mapping to a value of the contract's type; returns a `fault` if that is impossible. Text
 * is converted as if it were the text of a cell. A number or a boolean is never converted to text, because its notation
 * in the file (`1.50`, `0x10`) is unknown.
 */
export function constantOf(type: FieldType, value: JsonValue): Constant {
  if (type.kind === "any") return { value };
  if (value === null) return type.nullable ? { value } : { fault: "is null, which the contract does not allow here" };
  if (typeof value === "object") return { fault: "must be a string, a number, true or false" };
  const converted = conversionTo(type)(String(value));
  if (converted instanceof ConversionFailure) return { fault: `is not ${failureText(converted)}` };
  if (type.kind === "choice" && !type.choices.some((choice) => choice === converted)) {
    const choices = type.choices.map((choice) => (choice === "" ? '""' : String(choice)));
    const hint = suggestionOr(`the choices are: ${listed(choices)}`, String(value), choices);
    return { fault: `is not one of the contract's choices; ${hint}` };
  }
  if (typeof value !== "string" && typeof converted === "string")
    return { fault: "must be in quotes, because the contract requires text" };
  return { value: converted };
}

function textual(expected: Expected, fits: (text: string) => boolean): Conversion {
  return (content) => (typeof content === "string" && fits(content) ? content : notConvertible(expected, content));
}

/** @param isNumber whether the text is a number, even if it has too many digits to be sent unchanged */
function parsed(
  expected: Expected,
  parse: (text: string) => JsonScalar | undefined,
  isNumber?: (text: string) => boolean,
): Conversion {
  return (content) => {
    if (typeof content !== "string") return notConvertible(expected, content);
    const value = parse(content);
    if (value !== undefined) return value;
    return notConvertible(isNumber?.(content) === true ? "exact number" : expected, content);
  };
}

function booleanFrom(text: string): boolean | undefined {
  const word = text.length > 5 ? "" : text.toLowerCase();
  return word === "true" ? true : word === "false" ? false : undefined;
}

/**
 * Converts text to the choice with the same text, or to the number that it equals (`1.50` and 1.5). Other text remains
 * unchanged, because validation reports it.
 */
function choiceOf(type: ChoiceType): Conversion {
  const others = new Map<string, JsonScalar>(
    type.choices.flatMap((choice) => (typeof choice === "string" ? [] : [[String(choice), choice]])),
  );
  for (const choice of type.choices) if (typeof choice === "string") others.delete(choice);
  if (others.size === 0) return textual("string", () => true);
  return (content) =>
    typeof content === "string"
      ? (others.get(content) ?? others.get(String(numberFrom(content))) ?? content)
      : notConvertible("string", content);
}

/**
 * Converts a cell to the first option that accepts it. Options that accept any text are tried last. Text that is not a
 * choice of any option remains unchanged, because validation reports it.
 */
function firstOf(type: UnionType): Conversion {
  const options = type.options.filter((option) => option.kind !== "object" && option.kind !== "list");
  const ordered = [...options.filter((option) => !isLoose(option)), ...options.filter(isLoose)];
  const conversions = ordered.map((option) => ({ convert: conversionTo(option), accepts: acceptsOf(option) }));
  return (content) => {
    let unchosen: JsonValue | undefined;
    let failure: ConversionFailure | undefined;
    for (const { convert, accepts } of conversions) {
      const value = convert(content);
      if (value instanceof ConversionFailure) failure ??= value;
      else if (accepts(value)) return value;
      else unchosen ??= value;
    }
    return unchosen ?? failure ?? notConvertible("object", content);
  };
}

/**
 * Returns a test for whether a converted value is a value of the option. Only a choice needs the test, because its
 * conversion accepts any text.
 */
function acceptsOf(option: FieldType): (value: JsonValue) => boolean {
  return option.kind === "choice" ? (value) => option.choices.some((choice) => choice === value) : () => true;
}

function isLoose(option: FieldType): boolean {
  return option.kind === "text" || option.kind === "any";
}

function failureText(failure: ConversionFailure): string {
  const expected = failure.finding.code === "invalid" ? failure.finding.expected : "known value";
  return `${/^[aeiou]/.test(expected) ? "an" : "a"} ${expected}`;
}

const CONVERSIONS: Readonly<Record<Exclude<FieldType["kind"], "choice" | "union">, Conversion>> = {
  any: (content) => content,
  text: textual("string", () => true),
  decimal: textual("decimal", isDecimalText),
  date: textual("date", isIsoDate),
  // The platform also accepts a date without a time. Validation warns about it.
  datetime: textual("datetime", (text) => isIsoDateTime(text) || isIsoDate(text)),
  time: textual("time", isIsoTime),
  integer: parsed("integer", integerFrom, isInteger),
  number: parsed("number", numberFrom, isJsonNumber),
  boolean: parsed("boolean", booleanFrom),
  object: (content) => notConvertible("object", content),
  list: (content) => notConvertible("object", content),
};

type ConversionFinding =
  | { readonly code: "invalid"; readonly expected: Expected; readonly written?: WrittenForm }
  | InvalidChoice;

/** The result for a cell that cannot be converted: its unchanged content and the reason. */
export class ConversionFailure {
  readonly kept: JsonValue;
  readonly finding: ConversionFinding;

  constructor(kept: JsonValue, finding: ConversionFinding) {
    this.kept = kept;
    this.finding = finding;
  }
}

export function notConvertible(expected: Expected, kept: JsonValue, written?: WrittenForm): ConversionFailure {
  return new ConversionFailure(kept, { code: "invalid", expected, ...(written && { written }) });
}
