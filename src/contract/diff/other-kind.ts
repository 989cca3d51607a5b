import { canonicalJson } from "../../json/json-value.ts";
import type { Rule, RuleDeclarations } from "../../rules/language/rule.ts";
import { matcherOf } from "../../text/linear-pattern.ts";
import {
  type Assertion,
  type FieldType,
  JSON_TYPES,
  type ObjectType,
  PLAIN_TYPE,
  type TextType,
} from "../types/field-type.ts";
import type { TypeChange } from "./contract-change.ts";
import { diffLimits } from "./diff-limits.ts";

/** Whether every value of `old` is also a value of `next`, a type of another kind. False if this is uncertain. */
export function includesKind(old: FieldType, next: FieldType): boolean {
  if (next.impossible !== undefined) return false;
  if (next.kind === "any") return true;
  if (next.kind === "number") return old.kind === "integer" && isHarmless(old, next);
  if (next.kind !== "text") return false;
  if (old.kind !== "choice") return JSON_TYPES[old.kind] === "string" && isHarmless(FILLED_TEXT, next);
  const fits = textTest(next);
  return old.choices.every((choice) => typeof choice === "string" && fits(choice));
}

function isHarmless(old: FieldType, next: FieldType): boolean {
  return diffLimits(old, next).every(({ breaks }) => !breaks);
}

/** Represents dates, times and decimals, which are certainly not blank. */
const FILLED_TEXT: TextType = { ...PLAIN_TYPE, kind: "text", allowBlank: false, documentPath: false };

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

/** The named values and settings that the rules of the old and of the next contract use. */
export type DeclarationPair = readonly [old: RuleDeclarations, next: RuleDeclarations];

/** Returns the differences that do not depend on the kind: accepted JSON types, additional constraints and rules. */
export function diffCommonConstraints(
  old: FieldType,
  next: FieldType,
  declarations: DeclarationPair,
): readonly TypeChange[] {
  const [before, now] = [old.assertions ?? [], next.assertions ?? []].map((list) => new Set(list.map(assertionText)));
  const tests = [
    ruleTest(old, next, declarations),
    sentFormTest(old, next),
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

function sentFormTest(old: FieldType, next: FieldType): ConstraintTest {
  const isChanged = old.kind === "datetime" && next.kind === "datetime" && old.asGiven !== next.asGiven;
  const text = next.kind === "datetime" && next.asGiven ? "is now sent as given" : "is no longer sent as given";
  return { isNew: false, isGone: isChanged, texts: ["", text] };
}

interface ConstraintTest {
  readonly isNew: boolean;
  readonly isGone: boolean;
  readonly texts: readonly string[];
}

/** A new or changed rule is stricter, unless it only causes warnings. A different message is not a change. */
function ruleTest(
  { rules: old = [] }: FieldType,
  { rules: next = [] }: FieldType,
  [oldDeclarations, nextDeclarations]: DeclarationPair,
): ConstraintTest {
  const before = new Map(old.map((rule) => [ruleText(rule, oldDeclarations), rule]));
  const now = new Map(next.map((rule) => [ruleText(rule, nextDeclarations), rule]));
  const gone = [...before].filter(([text]) => !now.has(text));
  const fresh = [...now].filter(([text]) => !before.has(text));
  const codes = new Set([...gone, ...fresh].map(([, { code }]) => code));
  const text = `rules were added, changed or removed: ${[...codes].join(", ")}`;
  return { isNew: fresh.some(([, { severity }]) => severity === "error"), isGone: codes.size > 0, texts: [text, text] };
}

/** Returns the rule as text, with the definition of each named value and setting that it uses. */
function ruleText({ place: _place, message: _message, ...rule }: Rule, declarations: RuleDeclarations): string {
  return JSON.stringify(rule, (_, member: unknown) =>
    member instanceof RegExp ? String(member) : withDefinition(member, declarations),
  );
}

function withDefinition(member: unknown, { values, settings }: RuleDeclarations): unknown {
  if (typeof member !== "object" || member === null || !("kind" in member) || !("name" in member)) return member;
  const name = String(member.name);
  if (member.kind === "named") return { ...member, value: values.get(name) };
  return member.kind === "setting" ? { ...member, default: settings.get(name)?.default } : member;
}

function assertionText({ schema, unevaluated }: Assertion): string {
  return `${unevaluated} ${canonicalJson(schema)}`;
}

function namePatternsOf(type: FieldType): readonly string[] {
  return type.kind === "object" ? (type.namePatterns ?? []).map(({ source }) => source) : [];
}
