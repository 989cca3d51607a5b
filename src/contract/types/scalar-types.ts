import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonScalar, type JsonScalar } from "../../json/json-value.ts";
import { checkedPattern, digitsOf } from "./pattern.ts";
import { keywordReader } from "./read-keywords.ts";
import type { ChoiceType, DecimalType, NumericLimits, TextType, TypeBase } from "./field-type.ts";
import { readKeyword, readKeywords, type Compilation, type Located, type SchemaNode } from "./schema-node.ts";
import { isOfType, namesOfTypes, type SchemaType } from "./type-keyword.ts";
import type { LinearPattern } from "../../text/linear-pattern.ts";
import { definedMembers } from "../../json/defined-members.ts";

export function textType(
  parts: readonly SchemaNode[],
  base: TypeBase,
  format: TextType["format"],
  compilation: Compilation,
): TextType {
  const { findings, direction } = compilation;
  const reader = keywordReader(parts, compilation);
  const minLength = reader.count("minLength", "largest");
  const maxLength = reader.count("maxLength", "smallest");
  reader.checkOrder(minLength, maxLength, "minLength");
  const pattern = patternOf(parts, findings);
  return {
    ...base,
    kind: "text",
    allowBlank: (minLength ?? (direction === "reply" ? 0 : 1)) === 0,
    documentPath: reader.isTrue("x-document-path") || (reader.text("x-document-path") === "key" && "key"),
    ...definedMembers({ format, minLength, maxLength, pattern }),
  };
}

export function decimalType(parts: readonly SchemaNode[], base: TypeBase, compilation: Compilation): DecimalType {
  const reader = keywordReader(parts, compilation);
  const pattern = patternOf(parts, compilation.findings);
  const derived = pattern && digitsOf(pattern);
  const places = reader.count("x-max-decimal-places", "smallest") ?? derived?.places;
  const digits = reader.count("x-max-digits", "smallest") ?? (derived && derived.whole + derived.places);
  const left = digits === undefined || places === undefined ? undefined : Math.max(0, digits - places);
  reader.checkOrder(places, digits, "x-max-decimal-places");
  return {
    ...base,
    kind: "decimal",
    ...numericLimits(parts, compilation),
    ...definedMembers({ maxDigits: digits, maxDecimalPlaces: places, maxWholeDigits: derived?.whole ?? left, pattern }),
  };
}

/**
 * Compiles `enum` and `const` to the values that every part of the schema allows. Null is never a choice; `base` states
 * whether the type allows null.
 */
export function choiceType(
  parts: readonly SchemaNode[],
  base: TypeBase,
  allowed: readonly SchemaType[] | undefined,
  compilation: Compilation,
): ChoiceType {
  const { findings } = compilation;
  const lists = choiceLists(parts);
  const [first, ...others] = lists.map((located) => scalarsOf(located, findings));
  const path = lists[0]?.path ?? [];
  const shared = (first ?? []).filter((choice) => others.every((list) => list.includes(choice)));
  const choices = [...new Set(shared)].filter((choice) => choice !== null && isOfType(choice, allowed));
  reportContradictions(parts, choices.length === 0 && !shared.includes(null), compilation);
  if (shared.includes(null) && !base.nullable) {
    const message =
      'null is among the choices, but the type does not allow it; add nullable: true (OpenAPI 3.0), or "null" to the types (3.1)';
    findings.add("warning", "null-choice", message, path);
  }
  return { ...base, kind: "choice", choices };
}

function choiceLists(parts: readonly SchemaNode[]): readonly Located[] {
  const constants = readKeywords(parts, "const").map(({ value, path }) => ({ value: [value], path }));
  return [...readKeywords(parts, "enum"), ...constants];
}

/**
 * Reports choices that are never valid. An alternative without a valid choice may be omitted (`contradict`), but a
 * single impossible choice among several is an error. `isEmpty`: whether neither a choice nor null satisfies all parts.
 */
export function reportContradictions(parts: readonly SchemaNode[], isEmpty: boolean, compilation: Compilation): void {
  const { findings, contradict } = compilation;
  const lists = choiceLists(parts);
  const path = lists[0]?.path ?? [];
  const impossible = parts.map((part) => findImpossibleChoice(part, compilation)).find((one) => one !== undefined);
  if (lists.some(({ value }) => isJsonArray(value) && value.length === 0)) {
    findings.add("warning", "contradiction", "the list of choices is empty; no value is valid", path);
  } else if (isEmpty) {
    contradict(impossible?.reason ?? "no choice satisfies all parts of the schema", impossible?.path ?? path);
  } else if (impossible !== undefined) {
    findings.add("error", "contradiction", `${impossible.reason}; it is never valid`, impossible.path);
  }
}

/**
 * Finds the first choice that violates the `type` of the same part. Ignores the types in other parts, because one part
 * may deliberately exclude choices of another.
 */
function findImpossibleChoice(
  part: SchemaNode,
  compilation: Compilation,
): { readonly reason: string; readonly path: AttrPath } | undefined {
  const written = readKeyword(part, "type");
  const [list] = choiceLists([part]);
  if (written === undefined || list === undefined) return undefined;
  const types = namesOfTypes(written, [...part.path, "type"], compilation);
  const choices = isJsonArray(list.value) ? list.value : [];
  const impossible = choices.find((choice) => choice !== null && types.length > 0 && !isOfType(choice, types));
  if (impossible === undefined) return undefined;
  return { reason: `the choice ${JSON.stringify(impossible)} is not of type ${types.join(" or ")}`, path: list.path };
}

function scalarsOf({ value, path }: Located, findings: Compilation["findings"]): readonly JsonScalar[] {
  const values = isJsonArray(value) ? value : [];
  if (!isJsonArray(value)) findings.add("error", "bad-keyword", '"enum" must be a list; it is not enforced', path);
  return values.filter(isJsonScalar);
}

export function numericLimits(parts: readonly SchemaNode[], compilation: Compilation): NumericLimits {
  const reader = keywordReader(parts, compilation);
  const [minimum, maximum, multipleOf] = [reader.minimum(), reader.maximum(), reader.multipleOf()];
  reader.checkOrder(minimum?.value, maximum?.value, "minimum");
  return definedMembers({ minimum, maximum, multipleOf });
}

/** Returns the pattern in the schema nearest to the field; the patterns in other schemas become assertions. */
function patternOf(parts: readonly SchemaNode[], findings: Compilation["findings"]): LinearPattern | undefined {
  const [first] = readKeywords(parts, "pattern");
  return first && checkedPattern(first.value, first.path, findings);
}
