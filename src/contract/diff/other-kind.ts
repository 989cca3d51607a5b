import { canonicalJson } from "../../json/json-value.ts";
import { matcherOf } from "../../text/linear-pattern.ts";
import { type Assertion, type FieldType, JSON_TYPES, type ObjectType, type TextType } from "../types/field-type.ts";
import type { TypeChange } from "./contract-change.ts";
import { diffLimits } from "./diff-limits.ts";

/**
 * Whether every value of `old` is also a value of `next`, which is a type of another kind. False if this is uncertain.
 */
export function includesKind(old: FieldType, next: FieldType): boolean {
  if (next.impossible !== undefined) return false;
  if (next.kind === "any") return true;
  if (next.kind === "number") return old.kind === "integer" && diffLimits(old, next).every(({ breaks }) => !breaks);
  if (next.kind !== "text" || old.kind !== "choice") return false;
  const fits = textTest(next);
  return old.choices.every((choice) => typeof choice === "string" && fits(choice));
}

/**
 * Returns a test for strings that the type certainly accepts. The test rejects every string that the platform would
 * trim, unless the string is blank.
 */
function textTest(type: TextType): (text: string) => boolean {
  const { allowBlank, minLength = 0, maxLength = Infinity, pattern, format, documentPath } = type;
  if (format !== undefined || documentPath !== false) return () => false;
  const matches = pattern === undefined ? () => true : matcherOf(pattern);
  return (text) => {
    if (text.trim() === "") return allowBlank;
    const characters = Array.from(text).length;
    const isLongEnough = characters >= minLength && characters <= maxLength;
    return isLongEnough && text.trim() === text && !UNSTORABLE.test(text) && matches(text);
  };
}

/** Null characters and lone surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Whether the two types have no value in common. False if this is uncertain. */
export function excludes(one: FieldType, other: FieldType): boolean {
  if (one.nullable && other.nullable) return false;
  if (one.kind === "object" && other.kind === "object") return lacksRequired(one, other) || lacksRequired(other, one);
  const kinds = [one, other].map(({ kind, untyped }) => (untyped ? undefined : JSON_TYPES[kind]));
  return kinds.every((kind) => kind !== undefined) && kinds[0] !== kinds[1] && (isNested(one) || isNested(other));
}

function isNested({ kind }: FieldType): boolean {
  return kind === "object" || kind === "list";
}

/** Whether the first object requires a field that the second object does not allow. */
function lacksRequired(
  { properties }: ObjectType,
  { properties: others, additional, namePatterns }: ObjectType,
): boolean {
  if (additional !== "closed" || namePatterns !== undefined) return false;
  return [...properties.values()].some(({ name, required }) => required && !others.has(name));
}

/** Returns the differences that do not depend on the kind: the accepted JSON types, and additional constraints. */
export function diffOpenness(old: FieldType, next: FieldType): readonly TypeChange[] {
  const [before, now] = [old.assertions ?? [], next.assertions ?? []].map((list) => new Set(list.map(assertionText)));
  const tests = [
    {
      isNew: next.impossible !== undefined && old.impossible === undefined,
      isGone: old.impossible !== undefined && next.impossible === undefined,
      texts: ["no value is valid", "values are now valid"],
    },
    {
      isNew: old.untyped === true && next.untyped !== true && next.kind !== "any",
      isGone: old.untyped !== true && next.untyped === true && old.kind !== "any",
      texts: ["values of other JSON types are now rejected", "values of other JSON types are now allowed"],
    },
    {
      isNew: namePatternsOf(old).some((pattern) => !namePatternsOf(next).includes(pattern)),
      isGone: false,
      texts: ["names that match a pattern may now be rejected"],
    },
    {
      isNew: [...(now ?? [])].some((text) => before?.has(text) !== true),
      isGone: [...(before ?? [])].some((text) => now?.has(text) !== true),
      texts: ["other keywords of the schema were added or changed", "other keywords of the schema were removed"],
    },
  ];
  return tests.flatMap(({ isNew, isGone, texts: [tighter = "", looser = ""] }): readonly TypeChange[] => {
    if (isNew) return [{ kind: "tighter", breaks: true, text: tighter }];
    return isGone ? [{ kind: "looser", breaks: false, text: looser }] : [];
  });
}

function assertionText({ schema, unevaluated }: Assertion): string {
  return `${unevaluated} ${canonicalJson(schema)}`;
}

function namePatternsOf(type: FieldType): readonly string[] {
  return type.kind === "object" ? (type.namePatterns ?? []).map(({ source }) => source) : [];
}
