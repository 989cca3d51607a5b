import { decimalTextOf, isMultiple } from "../../json/decimal-arithmetic.ts";
import type { TypeChange } from "./contract-change.ts";
import {
  type ChoiceType,
  compareLimits,
  type DecimalType,
  type FieldType,
  type NumberType,
  type NumericLimit,
  type TextType,
} from "../types/field-type.ts";
import { digitsOf } from "../types/pattern.ts";

/** Returns the differences between the constraints of two types of the same kind, excluding nested types. */
export function diffLimits(old: FieldType, next: FieldType): readonly TypeChange[] {
  if (old.kind === "choice" && next.kind === "choice") return diffChoices(old, next);
  const before = limitsOf(old);
  return [...limitsOf(next)].flatMap(([name, limit]) => diffLimit(name, before.get(name), limit));
}

type NamedLimit = readonly [name: string, limit: Limit];
type Limit =
  /** `most`: a lower value is stricter. `least`: a higher value is stricter. */
  | { readonly kind: "most" | "least"; readonly value: NumericLimit | undefined; readonly unit: string }
  /** `steps`: the numbers of which every value is a multiple, 1 for integers. */
  | { readonly kind: "multiple"; readonly value: number | undefined; readonly steps: readonly number[] }
  /** A limit with a value is stricter than a limit without a value; two different values are incompatible. */
  | { readonly kind: "form"; readonly value: string | undefined };

/** Returns the limits that apply to the kind of the type, by name. A limit that the type does not set has no value. */
function limitsOf(type: FieldType): ReadonlyMap<string, Limit> {
  if (type.kind === "text") return textLimits(type);
  if (type.kind === "decimal") return new Map([...digitLimits(type), ...numericLimits(type)]);
  if (type.kind === "number" || type.kind === "integer") return new Map(numericLimits(type));
  if (type.kind !== "list") return new Map();
  return new Map([
    ["minItems", least(bound(type.minItems), "items")],
    ["maxItems", most(bound(type.maxItems), "items")],
    ["unique", form(type.uniqueItems ? "no duplicate items" : undefined)],
  ]);
}

function textLimits(type: TextType): ReadonlyMap<string, Limit> {
  const { minLength, maxLength, allowBlank, pattern, format, documentPath } = type;
  return new Map([
    ["minLength", least(bound(minLength ?? (allowBlank ? 0 : 1)), "characters")],
    ["maxLength", most(bound(maxLength), "characters")],
    ["pattern", form(pattern?.source)],
    ["format", form(format)],
    ["document path", form(DOCUMENT_PATH_WORDS.get(documentPath))],
  ]);
}

const DOCUMENT_PATH_WORDS: ReadonlyMap<TextType["documentPath"], string> = new Map<TextType["documentPath"], string>([
  [true, "relative and safe"],
  ["key", "safe"],
]);

/**
 * Returns the limits on digits. If a pattern only limits the digits and the sign, its limits are compared instead of
 * the pattern.
 */
function digitLimits({ pattern, maxDigits, maxWholeDigits, maxDecimalPlaces }: DecimalType): readonly NamedLimit[] {
  const digits = pattern && digitsOf(pattern);
  const places = digits === undefined ? maxDecimalPlaces : Math.min(digits.places, maxDecimalPlaces ?? Infinity);
  return [
    ["digits", most(bound(maxDigits), "digits")],
    ["whole digits", most(bound(maxWholeDigits), "digits before the decimal point")],
    ["decimal places", most(bound(places), "digits after the decimal point")],
    ["sign", form(digits?.allowsMinus === false ? "no minus sign" : undefined)],
    ["pattern", form(digits === undefined ? pattern?.source : undefined)],
  ];
}

function numericLimits({ kind, minimum, maximum, multipleOf }: DecimalType | NumberType): readonly NamedLimit[] {
  const isWhole = kind === "integer";
  const steps = isWhole ? [1] : [];
  return [
    ["minimum", least(isWhole ? inclusive(minimum, 1) : minimum, "")],
    ["maximum", most(isWhole ? inclusive(maximum, -1) : maximum, "")],
    ["multiple", multiple(multipleOf, steps)],
  ];
}

/** Returns the equivalent limit of an integer: `above 0` is `at least 1`. */
function inclusive(limit: NumericLimit | undefined, step: 1 | -1): NumericLimit | undefined {
  const isConverted = limit?.exclusive === true && limit.exact === undefined && Number.isSafeInteger(limit.value);
  return isConverted ? { value: limit.value + step, exclusive: false } : limit;
}

/** @param steps the numbers of which every value is a multiple even without this limit: 1 for integers */
function multiple(value: number | undefined, steps: readonly number[]): Limit {
  if (value === undefined || isMultipleOf(steps, value)) return { kind: "multiple", value: undefined, steps };
  return { kind: "multiple", value, steps: [...steps, value] };
}

function isMultipleOf(steps: readonly number[], size: number): boolean {
  return steps.some((step) => isMultiple(decimalTextOf(step), decimalTextOf(size)));
}

function least(value: NumericLimit | undefined, unit: string): Limit {
  return { kind: "least", value, unit };
}

function most(value: NumericLimit | undefined, unit: string): Limit {
  return { kind: "most", value, unit };
}

function form(value: string | undefined): Limit {
  return { kind: "form", value };
}

function bound(value: number | undefined): NumericLimit | undefined {
  return value === undefined ? undefined : { value, exclusive: false };
}

function diffLimit(name: string, old: Limit | undefined, next: Limit): readonly TypeChange[] {
  if (old === undefined || limitText(old) === limitText(next)) return [];
  const text = `${name}: ${limitText(next)}, previously ${limitText(old)}`;
  const breaks = isTighter(old, next);
  return [{ kind: breaks ? "tighter" : "looser", breaks, text }];
}

function isTighter(old: Limit, next: Limit): boolean {
  if (next.value === undefined) return false;
  if (next.kind === "multiple") return old.kind !== "multiple" || !isMultipleOf(old.steps, next.value);
  if (next.kind === "form" || old.kind === "form" || old.kind === "multiple" || old.value === undefined) return true;
  const step = compareLimits(old.value, next.value) * (next.kind === "most" ? 1 : -1);
  return step > 0 || (step === 0 && next.value.exclusive);
}

function limitText(limit: Limit): string {
  if (limit.kind === "form") return limit.value ?? "anything";
  if (limit.kind === "multiple") return limit.value === undefined ? "anything" : `a multiple of ${limit.value}`;
  if (limit.value === undefined) return "no limit";
  const { value, exact, exclusive } = limit.value;
  const lead = limit.kind === "most" ? (exclusive ? "below" : "at most") : exclusive ? "above" : "at least";
  return `${lead} ${exact ?? value} ${limit.unit}`.trimEnd();
}

function diffChoices(old: ChoiceType, next: ChoiceType): readonly TypeChange[] {
  const [before, now] = [old.choices.map(String), next.choices.map(String)];
  const removed = before.filter((choice) => !now.includes(choice));
  const fresh = now.filter((choice) => !before.includes(choice));
  const changes: readonly TypeChange[] = [
    { kind: "choices-removed", breaks: true, text: `no longer allows ${listed(removed)}`, values: removed },
    { kind: "choices-added", breaks: false, text: `now allows ${listed(fresh)}`, values: fresh },
  ];
  return changes.filter(({ values }) => values?.length !== 0);
}

function listed(choices: readonly string[]): string {
  return choices.map((choice) => JSON.stringify(choice)).join(", ");
}
