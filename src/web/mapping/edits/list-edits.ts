import type { AttrPath } from "../../../json/attr.ts";
import { definedMembers } from "../../../json/defined-members.ts";
import { isJsonArray, isJsonObject, type JsonObject, valueAt } from "../../../json/json-value.ts";
import type { MappingEdit, PartCondition } from "../mapping-data.ts";
import { BY_HAND, editYaml, parseMapping, refuse, unwrapItem, wrapInItem, wrapInList } from "../yaml/edit-yaml.ts";
import type { EditTarget } from "./edit-target.ts";

/**
 * Returns the mapping with a different source for the items of a list or of a part.
 * @param source null: one item, built from the row of the list
 */
export function withRows(target: EditTarget, source: string | null): string {
  const { text, field, context } = target;
  const { file } = context;
  const { attr, path, items } = field;
  if (path.includes("*")) {
    return refuse(`${attr} is inside a list without rows`, "choose the rows of the outer list first");
  }
  if (items?.kind === "none") {
    if (source === null) return editYaml(file, text, { path, value: [{}] });
    return editYaml(file, text, { path, value: { each: source, item: {} }, blockLevels: 1 });
  }
  const own = items === undefined || items.kind === "parts" ? undefined : partIn(target);
  if (own === undefined) return refuse(`the rows of ${attr} cannot be changed here`, BY_HAND);
  if (source === null) return items?.kind === "rows" ? withoutRows(target, own) : text;
  if (!own.isEntry) return wrapInItem(file, text, own.path, { each: source });
  return editYaml(file, text, { path: [...own.path, "each"], value: source, after: "when" });
}

/**
 * Removes `each`. An item that is built from the row of the list must be in a list literal, so an entry outside a list
 * literal becomes its only item.
 */
function withoutRows({ text, field, context: { file } }: EditTarget, { path, value }: Part): string {
  const isListed = path.length > field.path.length || field.kind === "part";
  const listed = isListed ? text : wrapInList(file, text, path);
  const own = isListed ? path : [...path, 0];
  const left = editYaml(file, listed, { path: [...own, "each"] });
  return value["when"] === undefined ? unwrapItem(file, left, own) : left;
}

interface Part {
  readonly path: AttrPath;
  readonly value: JsonObject;
  /** Whether the part is an entry `{ each, when, item }`. If not, the part is the item itself. */
  readonly isEntry: boolean;
}

/** Returns a part of a list, or the only part of a list; undefined if the list has a different form. */
function partIn(target: EditTarget): Part | undefined {
  const { field, text, context } = target;
  const document = parseMapping(context.file, text);
  const isListed = field.kind === "list" && isJsonArray(valueAt(document, field.path) ?? null);
  const path = field.kind === "part" ? partPath(target) : isListed ? [...field.path, 0] : field.path;
  const value = valueAt(document, path);
  if (value === undefined || !isJsonObject(value)) return undefined;
  return { path, value, isEntry: value["item"] !== undefined || field.items?.kind === "rows" };
}

/** Adds a part to a list. A list that is built from the rows of one source becomes a list of parts. */
export function withNewPart(
  { text, field, context }: EditTarget,
  { source, when }: Extract<MappingEdit, { kind: "addPart" }>,
): string {
  const { file } = context;
  const { path } = field;
  if (field.kind !== "list" || path.includes("*")) return refuse(`${field.attr} takes no parts`, BY_HAND);
  const old = valueAt(parseMapping(file, text), path);
  const isPlain = source === undefined && when === undefined;
  const part: JsonObject = isPlain ? {} : { ...definedMembers({ each: source, when: when && { ...when } }), item: {} };
  const blockLevels = isPlain ? 0 : 1;
  if (old === undefined || (isJsonArray(old) && old.length === 0))
    return editYaml(file, text, { path, value: [part], blockLevels });
  const listed = isJsonArray(old) ? text : wrapInList(file, text, path);
  return editYaml(file, listed, { path: [...path, isJsonArray(old) ? old.length : 1], value: part, blockLevels });
}

export function withoutPart(target: EditTarget): string {
  const { text, context } = target;
  return editYaml(context.file, text, { path: partPath(target) });
}

function partPath({ field: { kind, path, attr } }: EditTarget): AttrPath {
  if (kind !== "part") return refuse(`${attr} is not a part of a list`, "reload the page");
  return path;
}

/** Returns the mapping with a new condition for a part; null removes the condition. */
export function withCondition(target: EditTarget, when: PartCondition | null): string {
  const { text, field, context } = target;
  const { file } = context;
  const own = field.condition === undefined ? undefined : partIn(target);
  if (own === undefined) return refuse(`the condition of ${field.attr} cannot be changed here`, BY_HAND);
  const { path, value, isEntry } = own;
  if (!isEntry) return when === null ? text : wrapInItem(file, text, path, { when: { ...when } });
  if (when !== null) return editYaml(file, text, { path: [...path, "when"], value: { ...when }, after: "each" });
  const left = editYaml(file, text, { path: [...path, "when"] });
  return value["each"] === undefined ? unwrapItem(file, left, path) : left;
}
