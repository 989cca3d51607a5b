import { type FieldType, type ListType, memberType, type ObjectType } from "../contract/types/field-type.ts";
import type { AttrPath } from "../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { compileLeaf, compileSplit } from "./leaf/compile-leaf.ts";
import type { LeafContext, MappingContext } from "./compile-context.ts";
import { didYouMean, listed, refuseUnknown } from "./document/mapping-issues.ts";
import type {
  EachNode,
  FieldNode,
  ItemsNode,
  MappingNode,
  ObjectNode,
  SplitNode,
  VariantNode,
} from "./mapping-node.ts";
import type { SourceColumns } from "./source-columns.ts";
import { narrowType, type Variants } from "./union-variants.ts";

/** What is the same for all entries of a mapping. */
export interface CompileContext extends MappingContext {
  readonly columnsOf: (source: string) => SourceColumns;
}

/** Where an entry stands. */
export interface NodeContext extends CompileContext, LeafContext {
  /** The contract can do without the entry. */
  readonly optional: boolean;
}

/**
 * Compiles an entry of the payload; the contract's type decides how it is read: object -> field names, list -> list
 * literal or `{each, item}`, scalar -> leaf. Adds an issue for all that is wrong; undefined then.
 */
export function compileNode(entry: JsonValue, type: FieldType, context: NodeContext): MappingNode | undefined {
  const meant = narrowType(entry, type);
  if (meant.kind === "object") return compileObject(entry, meant, context);
  if (meant.kind === "list") return compileList(entry, meant, context);
  if (meant.kind === "variants") return compileVariants(entry, meant, context);
  return compileLeaf(entry, meant, context);
}

/** How the fields of an object are known. */
interface Fields {
  readonly typeOf: (name: string) => FieldType | undefined;
  readonly isRequired: (name: string) => boolean;
  readonly isReadOnly: (name: string) => boolean;
  readonly names: readonly string[];
}

function compileObject(entry: JsonValue, type: ObjectType, context: NodeContext): ObjectNode | undefined {
  const object = fieldsEntry(entry, context);
  return object && compileFields(object, fieldsOf(type), context);
}

function fieldsEntry(entry: JsonValue, context: NodeContext): JsonObject | undefined {
  if (isJsonObject(entry)) return entry;
  const hint = "write its fields below it, each with where its value comes from";
  context.issues.add(context.path, "is an object in the contract", hint);
  return undefined;
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
  const fields = Object.entries(object).flatMap(([name, entry]): FieldNode[] => {
    const path = [...context.path, name];
    const type = known.typeOf(name);
    if (type === undefined) {
      context.issues.add(path, "the contract has no such attr", didYouMean(name, known.names));
      return [];
    }
    if (known.isReadOnly(name)) context.issues.add(path, "is read-only in the contract: the platform sets it");
    const node = compileNode(entry, type, { ...context, path, optional: !known.isRequired(name) });
    return node === undefined ? [] : [{ name, node }];
  });
  const required = known.names.filter((name) => known.isRequired(name) && !known.isReadOnly(name));
  return { kind: "object", fields, required, optional: context.optional };
}

function compileVariants(entry: JsonValue, type: Variants, context: NodeContext): VariantNode | undefined {
  const object = fieldsEntry(entry, context);
  if (object === undefined) return undefined;
  const otherwise = compileFields(object, type.merged, context);
  const variants = new Map<string, ObjectNode>();
  for (const [value, option] of type.byValue) {
    variants.set(value, compileFields(object, { ...type.merged, ...preferring(option, type) }, context));
  }
  const discriminator = otherwise.fields.find(({ name }) => name === type.property)?.node;
  return { kind: "variant", discriminator, variants, otherwise };
}

/** The fields as one option has them; what only other options have is sent as these have it, for validation to see. */
function preferring(option: ObjectType, { property, merged }: Variants): Pick<Fields, "typeOf" | "isRequired"> {
  const own = fieldsOf(option);
  return {
    typeOf: (name) => (name === property ? undefined : own.typeOf(name)) ?? merged.typeOf(name),
    isRequired: own.isRequired,
  };
}

function compileList(entry: JsonValue, type: ListType, context: NodeContext): MappingNode | undefined {
  if (isJsonArray(entry)) return compileItems(entry, type, context);
  if (isJsonObject(entry) && entry["split"] !== undefined) return compileSplitCell(entry, type, context);
  if (isJsonObject(entry)) return compileEach(entry, type, context);
  const hint =
    "write a list of items (- ...), { each: <child source>, item: ... }, or { from: <column>, split: <text> }";
  context.issues.add(context.path, "is a list in the contract", hint);
  return undefined;
}

function compileItems(entry: readonly JsonValue[], type: ListType, context: NodeContext): ItemsNode {
  const items = entry.flatMap(
    (item, index) => compileNode(item, type.items, { ...context, path: [...context.path, index] }) ?? [],
  );
  return { kind: "items", items };
}

function compileSplitCell(entry: JsonObject, type: ListType, context: NodeContext): SplitNode | undefined {
  const { kind } = narrowType("", type.items);
  if (kind !== "object" && kind !== "list" && kind !== "variants") return compileSplit(entry, type, context);
  context.issues.add([...context.path, "split"], "makes texts of a cell, and the contract wants objects or lists here");
  return undefined;
}

function compileEach(entry: JsonObject, type: ListType, context: NodeContext): EachNode | undefined {
  refuseUnknown(entry, ["each", "item"], context.path, context.issues);
  const { each: source, item } = entry;
  if (typeof source !== "string" || item === undefined) {
    context.issues.add(
      context.path,
      "a list from child rows needs each: <child source> and item: <what to make of a row>",
    );
    return undefined;
  }
  if (!isChild(source, context)) return undefined;
  const inside = { ...context, path: [...context.path, "item"], columns: context.columnsOf(source), optional: false };
  const node = compileNode(item, type.items, inside);
  return node && { kind: "each", source, item: node };
}

function isChild(source: string, context: NodeContext): boolean {
  const { sources } = context.document;
  const current = context.columns.source;
  const parent = sources.get(source)?.parent;
  if (parent === current) return true;
  const path: AttrPath = [...context.path, "each"];
  const children = [...sources].filter(([, above]) => above.parent === current).map(([name]) => name);
  const known = `the child sources of "${current}" are: ${listed(children)}`;
  if (!sources.has(source)) {
    const hint = children.length === 0 ? known : didYouMean(source, children);
    context.issues.add(path, `there is no source "${source}"`, hint);
  } else {
    const fact = parent === undefined ? "has no parent" : `is a child of "${parent}"`;
    context.issues.add(path, `"${source}" ${fact}, and this item is built from a row of "${current}"`, known);
  }
  return false;
}
