import type { TypeChange } from "./contract-change.ts";
import { diffLimits } from "./diff-limits.ts";
import type { FieldType, ObjectType, Property, UnionType } from "./field-type.ts";
import { typeInWords } from "./field-words.ts";
import { present } from "../model/present.ts";
import { suggest } from "../model/suggest.ts";

/** What changed from one payload's type to another's, in the order of the fields; a type inside of itself is looked at once. */
export function diffTypes(old: FieldType, next: FieldType): readonly TypeChange[] {
  const changes: TypeChange[] = [];
  diff(old, next, { attr: "", inside: [], changes });
  return changes;
}

interface Position {
  readonly attr: string;
  readonly when?: string;
  /** The pairs of types around this one. */
  readonly inside: readonly (readonly [FieldType, FieldType])[];
  readonly changes: TypeChange[];
}

function diff(old: FieldType, next: FieldType, position: Position): void {
  if (position.inside.some(([one, other]) => one === old && other === next)) return;
  const inner = { ...position, inside: [...position.inside, [old, next] as const] };
  if (old.nullable !== next.nullable && old.kind !== "any" && next.kind !== "any") {
    if (next.nullable) add(inner, "looser", false, "may be null now");
    else add(inner, "tighter", true, "may not be null any more");
  }
  if (!old.deprecated && next.deprecated) add(inner, "deprecated", false, "is deprecated now");
  diffCodes(old, next, inner);
  diffKinds(old, next, inner);
}

function diffKinds(old: FieldType, next: FieldType, position: Position): void {
  if (old.kind === "object" && next.kind === "object") diffObjects(old, next, position);
  else if (old.kind === "union" && next.kind === "union") diffUnions(old, next, position);
  else if (old.kind !== next.kind) diffForms(old, next, position);
  else if (old.kind === "list" && next.kind === "list") {
    diffOwn(old, next, position);
    diff(old.items, next.items, at(position, "*"));
  } else diffOwn(old, next, position);
}

function diffOwn(old: FieldType, next: FieldType, { attr, when, changes }: Position): void {
  for (const change of diffLimits(old, next)) changes.push({ attr, ...present({ when }), ...change });
}

function diffForms(old: FieldType, next: FieldType, position: Position): void {
  const words = `${typeInWords(next)}, before ${typeInWords(old)}`;
  add(position, "type", !isWider(old, next), words === sameWords(old) ? `another kind of ${typeInWords(next)}` : words);
}

function sameWords(type: FieldType): string {
  return `${typeInWords(type)}, before ${typeInWords(type)}`;
}

/** Whatever fits the old form fits the new one too. */
function isWider(old: FieldType, next: FieldType): boolean {
  if (next.kind === "any") return true;
  if (next.kind === "number") return old.kind === "integer";
  const isPlainText = next.kind === "text" && next.pattern === undefined && next.maxLength === undefined;
  return isPlainText && old.kind === "choice" && old.choices.every((choice) => typeof choice === "string");
}

function diffObjects(old: ObjectType, next: ObjectType, position: Position): void {
  for (const [name, property] of old.properties) {
    const twin = next.properties.get(name);
    if (twin !== undefined) diffProperty(property, twin, at(position, name));
    else if (next.additional === "closed") addRemoval(name, { old, next }, at(position, name));
    else diff(property.type, next.additional, at(position, name));
  }
  for (const [name, property] of next.properties) {
    if (!old.properties.has(name)) addAddition(property, at(position, name));
  }
  const [before, now] = [old.additional, next.additional];
  if (before !== "closed" && now === "closed") add(position, "tighter", true, "other names are refused now");
  else if (before === "closed" && now !== "closed") add(position, "looser", false, "other names are allowed now");
  else if (before !== "closed" && now !== "closed") diff(before, now, at(position, "*"));
}

function addRemoval(name: string, { old, next }: { old: ObjectType; next: ObjectType }, position: Position): void {
  const fresh = [...next.properties.keys()].filter((other) => !old.properties.has(other));
  const near = suggest(name, fresh);
  const guess = near === undefined ? "" : `; perhaps it is called "${near}" now`;
  add(position, "field-removed", true, `is gone${guess}`);
}

function addAddition({ required, type }: Property, position: Position): void {
  if (required) add(position, "required", true, `is new and required: ${typeInWords(type)}`);
  else add(position, "field-added", false, `is new: ${typeInWords(type)}`);
}

function diffProperty(old: Property, next: Property, position: Position): void {
  if (!old.required && next.required) add(position, "required", true, "is required now");
  if (old.required && !next.required) add(position, "optional", false, "is optional now");
  if (!old.readOnly && next.readOnly) add(position, "tighter", true, "is set by the platform now, and not to be sent");
  if (old.readOnly && !next.readOnly) add(position, "looser", false, "may be sent now");
  diff(old.type, next.type, position);
}

/** Options are the same ones by what chooses them; without a discriminator by name, and by their places. */
function diffUnions(old: UnionType, next: UnionType, position: Position): void {
  const [before, now] = [old.discriminator?.property, next.discriminator?.property];
  if (before !== now) {
    add(position, "type", true, `chosen by ${now ?? "what fits"}, before by ${before ?? "what fits"}`);
    return;
  }
  const [options, twins] = [optionsOf(old), optionsOf(next)];
  for (const [name, option] of options) {
    const twin = twins.get(name);
    if (twin === undefined) add(position, "tighter", true, `the alternative "${name}" is gone`);
    else diff(option, twin, { ...position, ...present({ when: conditionOf(position.when, before, name) }) });
  }
  const fresh = [...twins.keys()].filter((name) => !options.has(name));
  for (const name of fresh) add(position, "looser", false, `the alternative "${name}" is new`);
}

function optionsOf({ options, discriminator }: UnionType): ReadonlyMap<string, FieldType> {
  if (discriminator !== undefined) return discriminator.mapping;
  return new Map(options.map((option, index) => [nameOf(option) ?? `option ${index + 1}`, option]));
}

function nameOf(type: FieldType): string | undefined {
  return type.kind === "object" ? type.name : undefined;
}

function conditionOf(when: string | undefined, property: string | undefined, value: string): string {
  const own = property === undefined ? value : `${property} is ${value}`;
  return when === undefined ? own : `${when}, ${own}`;
}

/** What the operator publishes that the platform may answer with. */
function diffCodes(old: FieldType, next: FieldType, position: Position): void {
  const [before, now] = [codesOf(old), codesOf(next)];
  const gone = [...before].filter((code) => !now.has(code));
  const fresh = [...now].filter((code) => !before.has(code));
  if (gone.length > 0) add(position, "codes-removed", false, `not checked any more: ${gone.join(", ")}`, gone);
  if (fresh.length > 0) add(position, "codes-added", false, `checked by the platform now: ${fresh.join(", ")}`, fresh);
}

function codesOf({ validators }: FieldType): ReadonlySet<string> {
  return new Set(validators.flatMap(({ codes }) => codes));
}

function at(position: Position, name: string): Position {
  return { ...position, attr: position.attr === "" ? name : `${position.attr}.${name}` };
}

function add(
  { attr, when, changes }: Position,
  kind: TypeChange["kind"],
  breaks: boolean,
  ...[text, values]: readonly [text: string, values?: readonly string[]]
): void {
  changes.push({ kind, attr: attr === "" ? "non_field_errors" : attr, breaks, text, ...present({ when, values }) });
}
