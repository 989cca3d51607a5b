import type { FieldType } from "../contract/field-type.ts";
import { needsOf } from "../grammar/rule-needs.ts";
import type { Rule } from "../grammar/rule.ts";
import type { RuleWorld } from "./rule-world.ts";

/** Why a rule cannot be judged. */
export type SkipReason =
  | { readonly kind: "setting"; readonly name: string }
  /** A list, or `list.column`. */
  | { readonly kind: "reference"; readonly name: string };

/** The first thing that a rule depends on and that is not there. */
export function skipReason(
  rule: Rule,
  { book, settings, references }: Pick<RuleWorld, "book" | "settings" | "references">,
): SkipReason | undefined {
  const needs = needsOf(rule, book);
  for (const name of needs.settings) if (!settings.has(name)) return { kind: "setting", name };
  for (const [name, { read }] of needs.lists) {
    const list = references.get(name);
    if (list === undefined) return { kind: "reference", name };
    const missing = [...read].find((column) => !list.columns.includes(column));
    if (missing !== undefined) return { kind: "reference", name: `${name}.${missing}` };
  }
  return undefined;
}

/** Every rule that a payload of the type can meet, once. */
export function rulesWithin(body: FieldType): readonly Rule[] {
  return [...new Set(typesWithin(body).flatMap(({ rules }) => rules ?? []))];
}

/** The types in which, or below which, a rule stands that counts. */
export function ruleBearing(body: FieldType, counts: (rule: Rule) => boolean): ReadonlySet<FieldType> {
  const types = typesWithin(body);
  const bearing = new Set(types.filter(({ rules }) => rules?.some(counts)));
  for (let before = -1; before < bearing.size;) {
    before = bearing.size;
    for (const type of types) if (partsOf(type).some((part) => bearing.has(part))) bearing.add(type);
  }
  return bearing;
}

function typesWithin(body: FieldType): readonly FieldType[] {
  const seen = new Set<FieldType>([body]);
  for (const type of seen) for (const part of partsOf(type)) seen.add(part);
  return [...seen];
}

function partsOf(type: FieldType): readonly FieldType[] {
  if (type.kind === "object") {
    const fields = [...type.properties.values()].filter(({ readOnly }) => !readOnly).map((property) => property.type);
    return type.additional === "closed" ? fields : [...fields, type.additional];
  }
  if (type.kind === "list") return [type.items];
  return type.kind === "union" ? [...type.options, ...(type.discriminator?.mapping.values() ?? [])] : [];
}
