import { leafText } from "../../commands/init/write/leaf-text.ts";
import { parseDocument } from "../../contract/document/yaml-document.ts";
import type { AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  valueAt,
} from "../../json/json-value.ts";
import { readMapping } from "../../map/document/mapping-document.ts";
import { Failure } from "../../model/failure.ts";
import { pathDown, type Sources, writtenName } from "./column-names.ts";
import { type FieldGuesses, fieldTree, leafOf, profileOf, slotAt } from "./field-tree.ts";
import type { FieldData, MappingEdit, NewSource, PartCondition, SourceColumn } from "./mapping-data.ts";
import { editYaml, wrapInList } from "./yaml-edits.ts";

export interface EditContext {
  /** The file of the mapping, for messages. */
  readonly file: string;
  readonly guesses: FieldGuesses;
  /** Time zone for times without an offset. */
  readonly zone: string;
}

/**
 * Changes a mapping, and keeps every character that the change does not concern.
 * @throws Failure `mapping_invalid` if the mapping cannot be read, `usage` if the change is not possible
 */
export function editMapping(text: string, edit: MappingEdit, context: EditContext): string {
  if (edit.kind === "source") return withSourceOptions(text, edit, context);
  if (edit.kind === "addSource") return withNewSource(text, edit, context);
  const document = readMapping({ file: context.file, text });
  const field = fieldWith(fieldTree(document, context.guesses), edit.path);
  if (field === undefined) {
    throw new Failure("usage", `the mapping has no field at ${edit.path.join(".")}`, { hint: "reload the page" });
  }
  const target = { text, field, context, sources: document.sources, tree: fieldTree(document, context.guesses) };
  switch (edit.kind) {
    case "connect":
      return connected(target, edit);
    case "disconnect":
      return editYaml(context.file, text, { path: edit.path });
    case "set":
      return withLeaf(target, edit.leaf, undefined);
    case "rows":
      return withRows(target, edit.source);
    case "addPart":
      return withNewPart(target, edit);
    case "part":
      return withCondition(target, edit.when);
    case "removePart":
      return editYaml(context.file, text, { path: partPath(target) });
    default:
      return edit satisfies never;
  }
}

interface Target {
  readonly text: string;
  readonly field: FieldData;
  readonly context: EditContext;
  readonly sources: Sources;
  readonly tree: readonly FieldData[];
}

function fieldWith(fields: readonly FieldData[], wanted: AttrPath): FieldData | undefined {
  for (const field of fields) {
    if (isSamePath(field.path, wanted)) return field;
    const below = fieldWith(field.children, wanted);
    if (below !== undefined) return below;
  }
  return undefined;
}

function isSamePath(one: AttrPath, other: AttrPath): boolean {
  return one.length === other.length && one.every((part, at) => part === other[at]);
}

function refuse(message: string, hint: string): never {
  throw new Failure("usage", message, { hint });
}

const BY_HAND = "edit mapping.yaml in an editor, then reload this page";

function connected(target: Target, wanted: SourceColumn): string {
  const { field, context } = target;
  const slot = slotAt(context.guesses.payload, field.attr);
  const found = profileOf(wanted, context.guesses);
  if (slot === undefined || (field.kind !== "value" && field.kind !== "values")) {
    return refuse(`${field.attr} takes no column`, "choose one of the fields inside it");
  }
  if (found === undefined) {
    return refuse(`there is no column "${wanted.column}" in "${wanted.source}"`, "reload the page");
  }
  const guess = context.guesses.scores.of(slot, found.column, found.source);
  const written = parseDocument({
    file: "",
    text: leafText({ ...slot, isList: false, guess }, context.zone) ?? "",
  }).value;
  const options = leafOf(written) ?? {};
  const kept = field.entry?.leaf ?? {};
  const leaf = {
    ...options,
    ...Object.fromEntries(Object.entries(kept).filter(([name]) => KEPT_OPTIONS.has(name))),
  };
  return withLeaf(target, leaf, wanted);
}

/** Options that do not depend on the values of the column. */
const KEPT_OPTIONS: ReadonlySet<string> = new Set(["default", "when", "trim", "replace", "split", "keepEmpty"]);

/** Sets the options of an entry. `column` replaces `from`. */
function withLeaf(target: Target, leaf: JsonObject, column: SourceColumn | undefined): string {
  const { text, field, context } = target;
  const { file } = context;
  if (field.kind !== "value" && field.kind !== "values") return refuse(`${field.attr} takes no value`, BY_HAND);
  if (field.entry !== undefined && field.entry.leaf === undefined) {
    return refuse(`${field.attr} was edited by hand`, BY_HAND);
  }
  if (field.path.includes("*")) return withNewList(target, leaf, column);
  const made = column === undefined ? leaf : { from: nameFor(column, target), ...without(leaf, "from") };
  const old = valueAt(parseDocument({ file, text }, "mapping_invalid").value, field.path);
  if (old === undefined) {
    const entry = asEntry(made);
    return editYaml(file, text, {
      path: field.path,
      value: field.kind === "values" && made["split"] === undefined ? [entry] : entry,
    });
  }
  const own = isJsonArray(old) ? { at: [...field.path, 0], value: old[0] ?? null } : { at: field.path, value: old };
  return withOptions(file, text, own, made);
}

function nameFor(column: SourceColumn, { field, sources }: Target): string {
  const { row = "" } = field;
  return writtenName(column, row, sources) ?? refuseColumn(column, row, field);
}

function refuseColumn({ source, column }: SourceColumn, row: string, { attr }: FieldData): never {
  return refuse(
    `${attr} is filled from a row of "${row}", which does not determine one row of "${source}" with ${column}`,
    `choose a column of "${row}"; or set "pick" for "${source}", if each row of "${row}" has at most one row of it that counts`,
  );
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

/** A column without options is written as its name. */
function asEntry(leaf: JsonObject): JsonValue {
  const { from, ...options } = leaf;
  return typeof from === "string" && Object.keys(options).length === 0 ? from : leaf;
}

interface OwnEntry {
  readonly at: AttrPath;
  readonly value: JsonValue;
}

/** Changes only the options that differ. */
function withOptions(file: string, text: string, { at, value: old }: OwnEntry, leaf: JsonObject): string {
  const entry = asEntry(leaf);
  if (canonicalJson(old) === canonicalJson(entry)) return text;
  if (!isJsonObject(old)) return editYaml(file, text, { path: at, value: entry });
  if (!isJsonObject(entry)) {
    try {
      return editYaml(file, text, { path: at, value: entry });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  return withMembers(file, text, { at, value: old }, leaf);
}

function withMembers(file: string, text: string, { at, value: old }: OwnEntry, wanted: JsonObject): string {
  const before = isJsonObject(old) ? old : {};
  let made = text;
  for (const [name, value] of Object.entries(wanted)) {
    const own = before[name];
    const member = [...at, name];
    if (own !== undefined && canonicalJson(own) === canonicalJson(value)) continue;
    made =
      own !== undefined && isJsonObject(own) && isJsonObject(value) && Object.keys(value).length > 0
        ? withMembers(file, made, { at: member, value: own }, value)
        : editYaml(file, made, { path: member, value });
  }
  for (const name of Object.keys(before)) {
    if (wanted[name] === undefined) made = editYaml(file, made, { path: [...at, name] });
  }
  return made;
}

/** Adds an entry with the lists around it, which the mapping does not have yet. */
function withNewList(target: Target, leaf: JsonObject, column: SourceColumn | undefined): string {
  const { text, field, context, sources, tree } = target;
  const first = field.path.indexOf("*");
  const listPath = field.path.slice(0, first);
  const { row = "" } = fieldWith(tree, listPath) ?? {};
  const rows = column === undefined ? [] : (pathDown(row, column.source, sources) ?? []);
  const inside = field.path.slice(first);
  const lists = inside.filter((part) => part === "*").length;
  if (rows.length > lists) {
    const names = rows.map((name) => `"${name}"`).join(", then ");
    return refuse(`${field.attr} is inside ${lists} lists, but its rows are reached through ${names}`, BY_HAND);
  }
  const inner = column === undefined ? leaf : innermost({ column, rows, row, leaf }, target);
  const entry = field.kind === "values" && inner["split"] === undefined ? [asEntry(inner)] : asEntry(inner);
  const sourcesOfLists = [...Array.from({ length: lists - rows.length }, () => undefined), ...rows];
  const { value, levels } = listEntry(inside, entry, sourcesOfLists);
  return editYaml(context.file, text, { path: listPath, value, blockLevels: levels });
}

interface InnerEntry {
  readonly column: SourceColumn;
  readonly rows: readonly string[];
  readonly row: string;
  readonly leaf: JsonObject;
}

function innermost({ column, rows, row, leaf }: InnerEntry, { field, sources }: Target): JsonObject {
  const name = writtenName(column, rows.at(-1) ?? row, sources) ?? refuseColumn(column, row, field);
  return { from: name, ...without(leaf, "from") };
}

/** Nests an entry in new lists, each built from the rows of a source, or from the current row. */
function listEntry(
  [part, ...rest]: AttrPath,
  entry: JsonValue,
  rows: readonly (string | undefined)[],
): { readonly value: JsonValue; readonly levels: number } {
  if (part === undefined) return { value: entry, levels: 0 };
  if (part !== "*") {
    const { value, levels } = listEntry(rest, entry, rows);
    return { value: { [part]: value }, levels: levels + 1 };
  }
  const [source, ...others] = rows;
  const { value, levels } = listEntry(rest, entry, others);
  return source === undefined
    ? { value: [value], levels }
    : { value: { each: source, item: value }, levels: levels + 1 };
}

function withRows({ text, field, context }: Target, source: string): string {
  const { file } = context;
  const old = valueAt(parseDocument({ file, text }, "mapping_invalid").value, field.path);
  if (field.kind !== "list" || (old !== undefined && !(isJsonObject(old) && old["each"] !== undefined))) {
    return refuse(
      `the rows of ${field.attr} cannot be changed here`,
      `disconnect the fields inside it first, or ${BY_HAND}`,
    );
  }
  if (field.path.includes("*")) {
    return refuse(`${field.attr} is inside a list without rows`, "choose the rows of the outer list first");
  }
  return old === undefined
    ? editYaml(file, text, { path: field.path, value: { each: source, item: {} }, blockLevels: 1 })
    : editYaml(file, text, { path: [...field.path, "each"], value: source });
}

/** Adds a part to a list. A list from the rows of one source becomes a list of parts. */
function withNewPart(
  { text, field, context }: Target,
  { source, when }: Extract<MappingEdit, { kind: "addPart" }>,
): string {
  const { file } = context;
  const { path } = field;
  if (field.kind !== "list" || path.includes("*")) return refuse(`${field.attr} takes no parts`, BY_HAND);
  const old = valueAt(parseDocument({ file, text }, "mapping_invalid").value, path);
  const isPlain = source === undefined && when === undefined;
  const part: JsonObject = isPlain ? {} : { ...definedMembers({ each: source, when: when && { ...when } }), item: {} };
  const blockLevels = isPlain ? 0 : 1;
  if (old === undefined || (isJsonArray(old) && old.length === 0))
    return editYaml(file, text, { path, value: [part], blockLevels });
  const listed = isJsonArray(old) ? text : wrapInList(file, text, path);
  return editYaml(file, listed, { path: [...path, isJsonArray(old) ? old.length : 1], value: part, blockLevels });
}

/** The path of a part with its rows and its condition. */
function partPath({ field: { kind, path, attr } }: Target): AttrPath {
  if (kind !== "part") return refuse(`${attr} is not a part of a list`, "reload the page");
  return path.at(-1) === "item" ? path.slice(0, -1) : path;
}

function withCondition(target: Target, when: PartCondition | null): string {
  const { text, field, context } = target;
  if (field.condition === undefined) return refuse(`the condition of ${field.attr} cannot be changed here`, BY_HAND);
  const own = field.kind === "list" ? onlyPart(target) : partPath(target);
  return editYaml(context.file, text, { path: [...own, "when"], ...(when !== null && { value: { ...when } }) });
}

/** The path of the only part of a list. */
function onlyPart({ text, field, context: { file } }: Target): AttrPath {
  const { value } = parseDocument({ file, text }, "mapping_invalid");
  return isJsonArray(valueAt(value, field.path) ?? null) ? [...field.path, 0] : field.path;
}

/**
 * Adds a source. A parent without a key is identified by the column of the join; if it has another one, the join names
 * both columns.
 */
function withNewSource(text: string, added: NewSource, { file }: EditContext): string {
  const { name, file: written, key, parent, column, parentColumn } = added;
  const { value } = parseDocument({ file, text }, "mapping_invalid");
  if (valueAt(value, ["sources", name]) !== undefined)
    return refuse(`there is a source "${name}" already`, "choose another name");
  const parentKey = valueAt(value, ["sources", parent, "key"]);
  const isOwnKey = parentKey === undefined || parentKey === parentColumn;
  const keyed =
    parentKey === undefined ? editYaml(file, text, { path: ["sources", parent, "key"], value: parentColumn }) : text;
  const on = isOwnKey ? column : { [column]: parentColumn };
  const options: JsonObject = { files: written, ...definedMembers({ key }), parent, on };
  return editYaml(file, keyed, { path: ["sources", name], value: options });
}

/** Sets or removes options of a source, or adds a source. */
function withSourceOptions(
  text: string,
  { name, options }: Extract<MappingEdit, { kind: "source" }>,
  { file }: EditContext,
): string {
  const { value } = parseDocument({ file, text }, "mapping_invalid");
  let made = text;
  const old = valueAt(value, ["sources", name]);
  if (old === undefined) {
    const set = Object.fromEntries(Object.entries(options).filter(([, option]) => option !== null));
    return editYaml(file, text, { path: ["sources", name], value: set });
  }
  for (const [option, wanted] of Object.entries(options)) {
    const own = valueAt(old, [option]);
    if (wanted === null && own === undefined) continue;
    if (own !== undefined && canonicalJson(own) === canonicalJson(wanted)) continue;
    made = editYaml(file, made, { path: ["sources", name, option], ...(wanted !== null && { value: wanted }) });
  }
  return made;
}
