import type { LinearPattern } from "../../text/linear-pattern.ts";
import { plural } from "../../text/count.ts";
import type {
  ChoiceType,
  DecimalType,
  FieldType,
  ListType,
  NumericLimit,
  NumericLimits,
  TextType,
} from "../types/field-type.ts";
import { digitsOf } from "../types/pattern.ts";

/** Returns a type as shown in the field table: `text`, `list of objects`, `date (YYYY-MM-DD)`. */
export function describeType(type: FieldType): string {
  if (type.kind === "text" && type.documentPath) return type.documentPath === "key" ? "document key" : "document path";
  const [words] = KIND_WORDS[type.kind];
  if (type.kind === "text") return type.format ?? words;
  if (type.kind === "list") return `list of ${KIND_WORDS[type.items.kind][1]}`;
  if (type.kind !== "union") return words;
  const by = type.discriminator ?? type.setting;
  if (by !== undefined) return `object, by ${by.property}`;
  return type.options.some(({ kind }) => kind === "object" || kind === "union" || kind === "list")
    ? words
    : [...new Set(type.options.map(describeType))].join(" or ");
}

/** Returns the constraints on a value beyond its type, each as a short phrase. */
export function describeConstraints(type: FieldType): readonly string[] {
  const rules = constraintsOf(type);
  return type.nullable && type.kind !== "any" ? [...rules, "may be null"] : rules;
}

/** How a value of each kind is described, and how the items of a list are described. */
const KIND_WORDS: Readonly<Record<FieldType["kind"], readonly [one: string, items: string]>> = {
  text: ["text", "texts"],
  decimal: ["decimal, as text", "decimals"],
  number: ["number", "numbers"],
  integer: ["whole number", "whole numbers"],
  boolean: ["true or false", "booleans"],
  date: ["date (YYYY-MM-DD)", "dates"],
  datetime: ["date and time (YYYY-MM-DDTHH:MM:SSZ)", "dates and times"],
  time: ["time (HH:MM:SS)", "times"],
  choice: ["choice", "choices"],
  object: ["object", "objects"],
  list: ["list", "lists"],
  union: ["one of several", "alternatives"],
  any: ["anything", "anything"],
};

function constraintsOf(type: FieldType): readonly string[] {
  if (type.kind === "text") return textConstraints(type);
  if (type.kind === "decimal") return [...decimalConstraints(type), ...numericConstraints(type)];
  if (type.kind === "number" || type.kind === "integer") return numericConstraints(type);
  if (type.kind === "choice") return [choiceConstraint(type)];
  if (type.kind === "list") return listConstraints(type);
  return type.kind === "object" && type.additional !== "closed" ? ["undocumented fields are allowed"] : [];
}

function textConstraints({ minLength, maxLength, pattern, allowBlank }: TextType): readonly string[] {
  return [
    ...(allowBlank ? ["may be blank"] : []),
    ...amount(minLength === undefined || minLength < 2 ? undefined : minLength, "at least", "character"),
    ...amount(maxLength, "at most", "character"),
    ...matching(pattern),
  ];
}

function decimalConstraints({ maxDigits, maxWholeDigits, maxDecimalPlaces, pattern }: DecimalType): readonly string[] {
  const whole = maxWholeDigits === undefined ? amount(maxDigits, "at most", "digit") : [];
  const before = amount(maxWholeDigits, "at most", "digit").map((words) => `${words} before the decimal point`);
  const after = amount(maxDecimalPlaces, "at most", "digit").map((words) => `${words} after the decimal point`);
  // If a pattern only limits the digits, showing it would repeat the limits.
  const isRepeated = pattern !== undefined && digitsOf(pattern)?.allowsMinus === true;
  return [...whole, ...before, ...after, ...(isRepeated ? [] : matching(pattern))];
}

function numericConstraints({ minimum, maximum, multipleOf }: NumericLimits): readonly string[] {
  return [
    ...limit(minimum, "at least", "above"),
    ...limit(maximum, "at most", "below"),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
  ];
}

function listConstraints({ minItems, maxItems, uniqueItems }: ListType): readonly string[] {
  return [
    ...amount(minItems === 0 ? undefined : minItems, "at least", "item"),
    ...amount(maxItems, "at most", "item"),
    ...(uniqueItems ? ["no duplicate items"] : []),
  ];
}

function choiceConstraint({ choices }: ChoiceType): string {
  const others = new Set(choices.filter((choice) => typeof choice !== "string").map(String));
  const words = choices.map((choice) => {
    const needsQuotes = typeof choice === "string" && (choice === "" || others.has(choice));
    return needsQuotes ? `"${choice}"` : String(choice);
  });
  return words.length === 1 ? `always ${words.join("")}` : `one of ${words.join(", ")}`;
}

function amount(count: number | undefined, lead: string, unit: string): readonly string[] {
  return count === undefined ? [] : [`${lead} ${count} ${plural(count, unit)}`];
}

function limit(bound: NumericLimit | undefined, inclusive: string, exclusive: string): readonly string[] {
  return bound === undefined ? [] : [`${bound.exclusive ? exclusive : inclusive} ${bound.exact ?? bound.value}`];
}

function matching(pattern: LinearPattern | undefined): readonly string[] {
  return pattern === undefined ? [] : [`matches ${pattern.source}`];
}
