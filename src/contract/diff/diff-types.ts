import { childAttr, NON_FIELD_ERRORS } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { suggest } from "../../text/suggestion.ts";
import { describeType } from "../describe/describe-type.ts";
import type { FieldType, ObjectType, Property, UnionType } from "../types/field-type.ts";
import { acceptedOptions } from "../types/type-tree.ts";
import type { TypeChange } from "./contract-change.ts";
import { diffLimits } from "./diff-limits.ts";
import { type DeclarationPair, diffCommonConstraints, excludes, includesKind } from "./other-kind.ts";

/**
 * Returns the differences between two types, in field order. A recursive type is compared only once. `attr`: the attr
 * of the types; "" for payloads.
 */
export function diffTypes(
  old: FieldType,
  next: FieldType,
  declarations: DeclarationPair,
  attr = "",
): readonly TypeChange[] {
  const changes: TypeChange[] = [];
  diffType(old, next, { attr, inside: [], declarations, changes });
  return changes;
}

interface DiffPosition {
  readonly attr: string;
  readonly when?: string;
  /** The enclosing pairs of types. */
  readonly inside: readonly (readonly [FieldType, FieldType])[];
  readonly declarations: DeclarationPair;
  readonly changes: TypeChange[];
}

function diffType(old: FieldType, next: FieldType, position: DiffPosition): void {
  if (position.inside.some(([one, other]) => one === old && other === next)) return;
  const inner = { ...position, inside: [...position.inside, [old, next] as const] };
  if (old.nullable !== next.nullable && old.kind !== "any" && next.kind !== "any") {
    if (next.nullable) addChange(inner, "looser", "may now be null");
    else addChange(inner, "tighter", "may no longer be null");
  }
  if (!old.deprecated && next.deprecated) addChange(inner, "deprecated", "is now deprecated");
  diffCodes(old, next, inner);
  for (const change of diffCommonConstraints(old, next, inner.declarations)) addChange(inner, change.kind, change.text);
  diffKinds(old, next, inner);
}

function diffKinds(old: FieldType, next: FieldType, position: DiffPosition): void {
  if (old.kind === "object" && next.kind === "object") diffObjects(old, next, position);
  else if (old.kind === "union" && next.kind === "union") diffUnions(old, next, position);
  else if (old.kind !== next.kind) diffKindChange(old, next, position);
  else {
    const { attr, when, changes } = position;
    for (const change of diffLimits(old, next)) changes.push({ attr, ...definedMembers({ when }), ...change });
    if (old.kind === "list" && next.kind === "list") diffType(old.items, next.items, childPosition(position, "*"));
  }
}

function diffKindChange(old: FieldType, next: FieldType, position: DiffPosition): void {
  const [before, now] = [describeType(old), describeType(next)];
  const text = before === now ? `a different kind of ${now}` : `${now}, previously ${before}`;
  addChange(position, "type", text, { breaks: !includesKind(old, next) });
}

function diffObjects(old: ObjectType, next: ObjectType, position: DiffPosition): void {
  for (const [name, property] of old.properties) {
    const twin = next.properties.get(name);
    if (twin !== undefined) diffProperty(property, twin, childPosition(position, name));
    else if (next.additional === "closed") addRemoval(name, old, next, childPosition(position, name));
    else diffType(property.type, next.additional, childPosition(position, name));
  }
  for (const [name, property] of next.properties) {
    if (!old.properties.has(name)) addNewProperty(property, old, next, childPosition(position, name));
  }
  const [before, now] = [old.additional, next.additional];
  if (before !== "closed" && now === "closed") addChange(position, "tighter", "undocumented fields are now rejected");
  else if (before === "closed" && now !== "closed")
    addChange(position, "looser", "undocumented fields are now allowed");
  else if (before !== "closed" && now !== "closed") diffType(before, now, childPosition(position, "*"));
}

function addNewProperty(property: Property, old: ObjectType, next: ObjectType, position: DiffPosition): void {
  const { required, type } = property;
  if (required) addChange(position, "required", `is new and required: ${describeType(type)}`);
  else addChange(position, "field-added", `is new: ${describeType(type)}`);
  // The old contract allowed the name as an additional property, so payloads may already contain it. If the new
  // contract rejects additional properties, a separate change to the object reports this.
  if (old.additional !== "closed" && next.additional !== "closed") diffType(old.additional, type, position);
}

function addRemoval(name: string, old: ObjectType, next: ObjectType, position: DiffPosition): void {
  const fresh = [...next.properties.keys()].filter((other) => !old.properties.has(other));
  const near = suggest(name, fresh);
  const guess = near === undefined ? "" : `; perhaps renamed to "${near}"`;
  addChange(position, "field-removed", `was removed${guess}`);
}

function diffProperty(old: Property, next: Property, position: DiffPosition): void {
  if (!old.required && next.required) addChange(position, "required", "is now required");
  if (old.required && !next.required) addChange(position, "optional", "is now optional");
  if (!old.readOnly && next.readOnly)
    addChange(position, "tighter", "is now set by the platform, and must not be sent");
  if (old.readOnly && !next.readOnly) addChange(position, "looser", "may now be sent");
  diffType(old.type, next.type, position);
}

/**
 * Compares two unions. Options are matched by their discriminator value or, without a discriminator, by schema name.
 * Options without a name are matched by position. An option under a new name is matched if it is otherwise equal.
 */
function diffUnions(old: UnionType, next: UnionType, position: DiffPosition): void {
  const [before, now] = [old.discriminator?.property, next.discriminator?.property];
  if (before !== now) {
    const text = `now selected by ${now ?? "the first match"}, previously by ${before ?? "the first match"}`;
    return addChange(position, "type", text);
  }
  const options = optionsOf(old);
  const twins = twinsOf(options, next, position);
  for (const [name, option] of options) {
    const twin = twins.get(name);
    const when = conditionOf(position.when, before, name);
    if (twin === undefined) addChange(position, "tighter", `the alternative "${name}" was removed`);
    else diffType(option, twin, { ...position, when });
  }
  if (!old.exactlyOne && next.exactlyOne)
    addChange(position, "tighter", "values that match two alternatives are now rejected");
  const fresh = [...twins].filter(([name]) => !options.has(name));
  for (const [name, twin] of fresh) {
    const isSeparate = [...options.values()].every((option) => excludes(option, twin));
    addAlternative(name, !next.exactlyOne || isSeparate, position);
  }
}

/**
 * Returns the options of the next union by name. Without a discriminator, an option that is equal to a removed option,
 * apart from its name, keeps the name of the removed option.
 */
function twinsOf(options: UnionOptions, next: UnionType, position: DiffPosition): UnionOptions {
  const twins = new Map(optionsOf(next));
  const isEqual = (option: FieldType, twin: FieldType): boolean => {
    const changes: TypeChange[] = [];
    diffType(option, twin, { ...position, changes });
    return changes.length === 0;
  };
  const removed = next.discriminator === undefined ? [...options].filter(([name]) => !twins.has(name)) : [];
  for (const [name, option] of removed) {
    const found = [...twins].find(([other, twin]) => !options.has(other) && isEqual(option, twin));
    if (found === undefined) continue;
    twins.delete(found[0]);
    twins.set(name, found[1]);
  }
  return twins;
}

function addAlternative(name: string, isSeparate: boolean, position: DiffPosition): void {
  const text = `the alternative "${name}" is new`;
  if (isSeparate) addChange(position, "looser", text);
  else addChange(position, "tighter", `${text}, and values that match two alternatives are rejected`);
}

type UnionOptions = ReadonlyMap<string, FieldType>;

function optionsOf(union: UnionType): UnionOptions {
  if (union.discriminator !== undefined) return union.discriminator.mapping;
  return new Map(acceptedOptions(union).map((option, index) => [nameOf(option) ?? `option ${index + 1}`, option]));
}

function nameOf(type: FieldType): string | undefined {
  return type.kind === "object" ? type.name : undefined;
}

function conditionOf(when: string | undefined, property: string | undefined, value: string): string {
  const own = property === undefined ? value : `${property} is ${value}`;
  return when === undefined ? own : `${when}, ${own}`;
}

function diffCodes(old: FieldType, next: FieldType, position: DiffPosition): void {
  const [before, now] = [codesOf(old), codesOf(next)];
  const removed = [...before].filter((code) => !now.has(code));
  const fresh = [...now].filter((code) => !before.has(code));
  if (removed.length > 0)
    addChange(position, "codes-removed", `no longer checked: ${removed.join(", ")}`, { values: removed });
  if (fresh.length > 0)
    addChange(position, "codes-added", `now checked by the platform: ${fresh.join(", ")}`, { values: fresh });
}

function codesOf({ validators }: FieldType): ReadonlySet<string> {
  return new Set(validators.flatMap(({ codes }) => codes));
}

function childPosition(position: DiffPosition, name: string): DiffPosition {
  return { ...position, attr: childAttr(position.attr, name) };
}

function addChange(
  { attr, when, changes }: DiffPosition,
  kind: TypeChange["kind"],
  text: string,
  more: { readonly breaks?: boolean; readonly values?: readonly string[] } = {},
): void {
  const own = { kind, attr: attr === "" ? NON_FIELD_ERRORS : attr, breaks: BREAKING_KINDS.has(kind), text };
  changes.push({ ...own, ...definedMembers({ when }), ...more });
}

const BREAKING_KINDS: ReadonlySet<TypeChange["kind"]> = new Set(["field-removed", "required", "tighter", "type"]);
