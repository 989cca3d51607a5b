import {
  type FieldType,
  type ListType,
  type ObjectType,
  PLAIN_TYPE,
  memberType,
} from "../../contract/types/field-type.ts";
import type { AttrPath } from "../../json/attr.ts";
import { type JsonObject, type JsonValue, isJsonArray, isJsonObject } from "../../json/json-value.ts";
import { compileCondition, compileLeaf, compileSplit } from "../leaf/compile-leaf.ts";
import { readWhen } from "../leaf/leaf-options.ts";
import type { LeafContext, MappingContext } from "../compile-context.ts";
import { listed } from "../../text/suggestion.ts";
import { didYouMean, refuseUnknown, tryIssues } from "../document/mapping-issues.ts";
import type {
  EachNode,
  FieldNode,
  ItemsNode,
  ListEntry,
  MappingNode,
  ObjectNode,
  RowCondition,
  RowSelection,
  SingleEntry,
  SplitNode,
  VariantNode,
} from "./mapping-node.ts";
import type { SourceColumns } from "../source-columns.ts";
import { parentColumns } from "./parent-columns.ts";
import { type Fields, type Variants, isListEntry, narrowType } from "./union-variants.ts";

/** The context that all entries of a mapping have in common. */
export interface CompileContext extends MappingContext {
  readonly columnsOf: (source: string) => SourceColumns;
}

export interface NodeContext extends CompileContext, LeafContext {
  /** Whether the contract does not require the entry. */
  readonly optional: boolean;
  /** The types at this place in other alternatives of the union. */
  readonly others?: readonly FieldType[];
  /** The selected rows of each child source, for the lists that are built from the current row. */
  readonly selections: Map<string, RowSelection>;
}

/**
 * Compiles an entry of the payload according to the contract's type: object -> field names, list -> list literal or
 * `{each, item}`, scalar -> leaf. Adds an issue for each error. Returns undefined if the entry does not have the form
 * that its type requires.
 */
export function compileNode(entry: JsonValue, type: FieldType, context: NodeContext): MappingNode | undefined {
  const narrowed = narrowType(entry, type);
  if (narrowed.kind === "object") return compileObject(entry, narrowed, context);
  if (narrowed.kind === "list") return compileList(entry, narrowed, context);
  if (narrowed.kind === "variants") return compileVariants(entry, narrowed, context);
  return compileLeafOfAny(entry, narrowed, context);
}

/**
 * If an entry does not fit its own type, tries the types of the other alternatives, because the entry may be intended
 * for rows of another alternative. A lookup table may contain choices of several alternatives.
 */
function compileLeafOfAny(entry: JsonValue, type: FieldType, context: NodeContext): MappingNode | undefined {
  const { others = [], issues } = context;
  if (others.length === 0) return compileLeaf(entry, type, context);
  const own = tryIssues(issues);
  const leaf = compileLeaf(entry, type, { ...context, issues: own });
  if (!own.hasIssues()) return leaf;
  for (const other of [...others, ...choicesOfAll([type, ...others])]) {
    const trial = tryIssues(issues);
    const node = compileNode(entry, other, { ...context, others: [], issues: trial });
    if (!trial.hasIssues()) return node;
  }
  own.keep();
  return leaf;
}

/** Returns one type with the choices of all types; an empty list if a type allows other values. */
function choicesOfAll(types: readonly FieldType[]): readonly FieldType[] {
  const lists = types.flatMap((type) => (type.kind === "choice" ? [type.choices] : []));
  return lists.length < types.length ? [] : [{ ...PLAIN_TYPE, kind: "choice", choices: [...new Set(lists.flat())] }];
}

function compileObject(entry: JsonValue, type: ObjectType, context: NodeContext): ObjectNode | undefined {
  const object = fieldsEntry(entry, context);
  return object && compileFields(object, fieldsOf(type), context);
}

function fieldsEntry(entry: JsonValue, context: NodeContext): JsonObject | undefined {
  if (isJsonObject(entry)) return entry;
  const hint = "write its fields below it, each with the source of its value";
  return context.issues.add(context.path, "is an object in the contract", hint);
}

function fieldsOf(type: ObjectType): Fields {
  const { properties } = type;
  return {
    typeOf: (name) => memberType(type, name),
    isRequired: (name) => properties.get(name)?.required ?? false,
    isReadOnly: (name) => properties.get(name)?.readOnly ?? false,
    names: [...properties.keys()],
  };
}

function compileFields(object: JsonObject, known: Fields, context: NodeContext): ObjectNode {
  const others = fieldsOfOthers(object, context);
  const fields = Object.entries(object).flatMap(([name, entry]): FieldNode[] => {
    const types = [...new Set(others.flatMap((other) => other.typeOf(name) ?? []))];
    const node = compileField(name, entry, known, { ...context, others: types });
    return node === undefined ? [] : [{ name, node }];
  });
  const required = known.names.filter((name) => known.isRequired(name) && !known.isReadOnly(name));
  const isEmpty = !context.optional && Object.keys(object).length === 0;
  return { kind: "object", fields, required, optional: context.optional, ...(isEmpty && { isEmpty }) };
}

function compileField(
  name: string,
  entry: JsonValue,
  known: Fields,
  { others = [], ...context }: NodeContext,
): MappingNode | undefined {
  const path = [...context.path, name];
  const own = known.typeOf(name);
  const [first, ...rest] = others;
  if (own !== undefined) {
    if (known.isReadOnly(name)) context.issues.add(path, "is read-only in the contract: the platform sets it");
    const inside = { ...context, path, optional: !known.isRequired(name) };
    return compileNode(entry, own, { ...inside, others: others.filter((other) => other !== own) });
  }
  if (first !== undefined) {
    const node = compileNode(entry, first, { ...context, path, optional: true, others: rest });
    return node && { kind: "foreign", node };
  }
  return context.issues.add(path, "the contract has no such attr", didYouMean(name, known.names));
}

/** Returns the fields of the other alternatives, for an object entry. */
function fieldsOfOthers(object: JsonObject, { others = [] }: NodeContext): readonly Fields[] {
  return others.flatMap((other) => {
    const narrowed = narrowType(object, other);
    if (narrowed.kind === "object") return [fieldsOf(narrowed)];
    return narrowed.kind === "variants" ? [narrowed.merged] : [];
  });
}

function compileVariants(entry: JsonValue, type: Variants, context: NodeContext): VariantNode | undefined {
  const object = fieldsEntry(entry, context);
  if (object === undefined) return undefined;
  const otherwise = compileFields(object, type.merged, context);
  const variants = new Map<string, ObjectNode>();
  for (const [value, option] of type.byValue) {
    const others = [...type.byValue.values()].filter((other) => other !== option);
    const inside = { ...context, others: [...others, ...(context.others ?? [])] };
    variants.set(value, compileFields(object, fieldsOfOption(option, type), inside));
  }
  const discriminator = otherwise.fields.find(({ name }) => name === type.property)?.node;
  return { kind: "variant", discriminator, variants, otherwise };
}

/**
 * Returns the fields of all options, with the types and requirements of one option. The discriminator has the same type
 * in all options.
 */
function fieldsOfOption(option: ObjectType, { property, merged }: Variants): Fields {
  const { typeOf, isRequired } = fieldsOf(option);
  return { ...merged, typeOf: (name) => (name === property ? merged.typeOf(name) : typeOf(name)), isRequired };
}

function compileList(entry: JsonValue, type: ListType, context: NodeContext): MappingNode | undefined {
  if (isJsonArray(entry)) return compileItems(entry, type, context);
  if (isJsonObject(entry) && entry["split"] !== undefined) return compileSplitCell(entry, type, context);
  if (isJsonObject(entry)) return compileEach(entry, type, context);
  const hint =
    "write a list of items (- ...), { each: <child source>, item: ... }, or { from: <column>, split: <text> }";
  return context.issues.add(context.path, "is a list in the contract", hint);
}

function compileItems(entry: readonly JsonValue[], type: ListType, context: NodeContext): ItemsNode {
  const entries = entry.flatMap((item, index): ListEntry[] => {
    const inside = { ...context, path: [...context.path, index] };
    const compiled = isListEntry(item, type.items)
      ? compileListEntry(item, type, inside)
      : compileSingle(item, undefined, type, inside);
    return compiled === undefined ? [] : [compiled];
  });
  return { kind: "items", entries };
}

/** Compiles an entry of the form `{ each, item }` or `{ when, item }`. */
function compileListEntry(entry: JsonObject, type: ListType, context: NodeContext): ListEntry | undefined {
  if (entry["each"] !== undefined) return compileEach(entry, type, context);
  refuseUnknown(entry, EACH_KEYS, context.path, context.issues);
  const { item, when } = entry;
  if (item === undefined || when === undefined) {
    const hint =
      "write { each: <child source>, item: ... }, { when: { column: <name>, in: [...] }, item: ... }, or the item";
    return context.issues.add(context.path, "has neither a source of rows (each) nor a condition (when)", hint);
  }
  return compileSingle(item, conditionOf(entry, context)?.applies, type, {
    ...context,
    path: [...context.path, "item"],
  });
}

/** The item is optional even in a required list, because an incomplete item that has only constants is not sent. */
function compileSingle(
  entry: JsonValue,
  applies: SingleEntry["applies"],
  type: ListType,
  context: NodeContext,
): SingleEntry | undefined {
  const others = itemsOfOthers(entry, context);
  const item = compileNode(entry, type.items, { ...context, optional: true, others });
  return item && { kind: "single", applies, item };
}

function conditionOf({ when: entry }: JsonObject, context: NodeContext): RowCondition | undefined {
  const path = [...context.path, "when"];
  const when = readWhen(entry, path, context.issues);
  return when && compileCondition(when, context, context.document.lineOf(path));
}

/** Returns the item types of the other alternatives, for a list entry. */
function itemsOfOthers(item: JsonValue, { others = [] }: NodeContext): readonly FieldType[] {
  return others.flatMap((other) => {
    const narrowed = narrowType([item], other);
    return narrowed.kind === "list" ? [narrowed.items] : [];
  });
}

function compileSplitCell(entry: JsonObject, type: ListType, context: NodeContext): SplitNode | undefined {
  const { kind } = narrowType("", type.items);
  if (kind !== "object" && kind !== "list" && kind !== "variants") return compileSplit(entry, type, context);
  return context.issues.add(
    [...context.path, "split"],
    "produces a list of text values, but the contract requires objects or lists here",
  );
}

const EACH_KEYS = ["each", "item", "when"] as const;

function compileEach(entry: JsonObject, type: ListType, context: NodeContext): EachNode | undefined {
  refuseUnknown(entry, EACH_KEYS, context.path, context.issues);
  const { each: source, item } = entry;
  if (typeof source !== "string" || item === undefined) {
    return context.issues.add(
      context.path,
      "a list from child rows needs `each: <child source>` and `item: <mapping of a row>`",
    );
  }
  if (!isChild(source, context)) return undefined;
  const parent = parentColumns(context.columns);
  const below = { ...context, columns: parent.merge(context.columnsOf(source)), selections: new Map() };
  const condition = conditionOf(entry, below);
  const others = itemsOfOthers(item, context);
  const node = compileNode(item, type.items, { ...below, path: [...context.path, "item"], optional: false, others });
  const each = node && { kind: "each" as const, source, condition, item: node, parent: parent.read() };
  return each && { ...each, selection: select(each, entry["when"], context) };
}

/** Adds a list to the selection of its source. Returns undefined if the list contains all rows. */
function select(
  { source, condition, parent }: EachNode,
  when: JsonValue | undefined,
  { selections }: NodeContext,
): RowSelection | undefined {
  const selection = selections.get(source) ?? { source, conditions: new Map(), parents: new Set(), isComplete: false };
  selections.set(source, selection);
  if (condition === undefined) selection.isComplete = true;
  else selection.conditions.set(JSON.stringify(when), condition);
  if (parent !== undefined) selection.parents.add(parent);
  return condition && selection;
}

function isChild(source: string, context: NodeContext): boolean {
  const { sources } = context.document;
  const current = context.columns.source;
  const parent = sources.get(source)?.parent;
  if (parent === current) return true;
  const path: AttrPath = [...context.path, "each"];
  const children = [...sources].filter(([, above]) => above.parent === current).map(([name]) => name);
  const known = `child sources of "${current}": ${listed(children)}`;
  if (!sources.has(source)) {
    const hint = children.length === 0 ? known : didYouMean(source, children);
    context.issues.add(path, `there is no source "${source}"`, hint);
  } else {
    const fact = parent === undefined ? "has no parent" : `is a child of "${parent}"`;
    context.issues.add(path, `"${source}" ${fact}, but this item is built from a row of "${current}"`, known);
  }
  return false;
}
