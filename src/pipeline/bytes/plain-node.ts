import type { FieldType, ListType, ObjectType } from "../../contract/types/field-type.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { EachNode, ItemsNode, MappingNode, ObjectNode } from "../../map/node/mapping-node.ts";
import type { ChildRecords } from "./child-records.ts";
import type { ContentForm } from "./content-form.ts";
import { eachMaker } from "./plain-each.ts";
import { ABSENT, leafMaker, type PlainContext, type PlainMaker, UNSURE, valueMaker } from "./plain-leaf.ts";

/** Context for compiling mapping entries along the types of the contract. */
export interface NodeContext extends PlainContext {
  readonly keyAttr: AttrPath | undefined;
  /** Called when the entry of the business key is compiled. */
  readonly onKey: () => void;
  /** Returns the records of a joined source. The caller must then read all of them. */
  readonly childrenOf: (source: string) => ChildRecords | undefined;
}

/** Undefined if the file lacks a column. */
export function nodeMaker(
  node: MappingNode,
  type: FieldType,
  path: AttrPath | undefined,
  context: NodeContext,
): PlainMaker | undefined {
  if (type.assertions === undefined) {
    if (node.kind === "object" && type.kind === "object") return objectMaker(node, type, path, context);
    if (node.kind === "items" && type.kind === "list") return listMaker(node, type, context);
    if (node.kind === "each" && type.kind === "list") return joinedMaker(node, type, context);
  }
  if (node.kind !== "leaf") return valueMaker(node, type, context);
  const isKey = path !== undefined && isSamePath(path, context.keyAttr);
  if (isKey) context.onKey();
  return leafMaker(node, type, context, isKey);
}

function isSamePath(path: AttrPath, other: AttrPath | undefined): boolean {
  return other?.length === path.length && path.every((segment, index) => segment === other[index]);
}

interface FieldMaker {
  readonly name: number;
  readonly make: PlainMaker;
  readonly required: boolean;
}

function objectMaker(
  node: ObjectNode,
  type: ObjectType,
  path: AttrPath | undefined,
  context: NodeContext,
): PlainMaker | undefined {
  if (!node.fields.every(({ name }) => isOrdinaryField(type, name))) return valueMaker(node, type, context);
  const fields: FieldMaker[] = [];
  const { form } = context;
  for (const { name, node: inner } of node.fields.toSorted(byName)) {
    const property = type.properties.get(name);
    const below = path && [...path, name];
    const make = property && nodeMaker(inner, property.type, below, context);
    if (property === undefined || make === undefined) return undefined;
    fields.push({ name: form.nameOf(name), make, required: property.required });
  }
  const given = new Set(node.fields.map(({ name }) => name));
  const lacks = [...type.properties.values()].some(
    ({ name, required, readOnly }) => required && !readOnly && !given.has(name),
  );
  return objectOf(fields, { lacks, isOptional: node.optional, form });
}

/** By UTF-16 code units, as in canonical JSON. */
function byName({ name: one }: { readonly name: string }, { name: other }: { readonly name: string }): number {
  return one < other ? -1 : 1;
}

/** The field is in the contract, is not set by the platform, and is not a property of every object. */
function isOrdinaryField({ properties }: ObjectType, name: string): boolean {
  return properties.get(name)?.readOnly === false && !(name in {});
}

interface ObjectOptions {
  /** A required field has no mapping entry. */
  readonly lacks: boolean;
  readonly isOptional: boolean;
  readonly form: ContentForm;
}

/** Follows `buildPayload` and validation: an object that is present must be complete. */
function objectOf(fields: readonly FieldMaker[], { lacks, isOptional, form }: ObjectOptions): PlainMaker {
  return (cells) => {
    const before = cells.made;
    const start = form.place();
    let content = form.beginObject();
    let count = 0;
    let isIncomplete = lacks;
    for (const { name, make, required } of fields) {
      const place = form.place();
      form.beginMember(name, count === 0);
      const made = make(cells);
      if (made >= 0) {
        content = form.withMember(content, name, made);
        count += 1;
        continue;
      }
      if (made === UNSURE) return UNSURE;
      form.undo(place);
      if (required) isIncomplete = true;
    }
    form.endObject();
    if (count > 0 && !isIncomplete) return content;
    if (count > 0 && !(isOptional && cells.made === before)) return UNSURE;
    form.undo(start);
    return ABSENT;
  };
}

/** A list with one item for each row of a child source. */
function joinedMaker(node: EachNode, type: ListType, context: NodeContext): PlainMaker | undefined {
  const isSimple = node.applies === undefined && node.parent === undefined && !type.uniqueItems;
  const records = isSimple && node.item.kind === "object" ? context.childrenOf(node.source) : undefined;
  if (records === undefined) return valueMaker(node, type, context);
  const makers: PlainMaker[] = [];
  for (const { layout } of records.files) {
    const columnAt = (name: string): number | undefined => layout.header.table.columnIndex.get(name);
    const make = nodeMaker(node.item, type.items, undefined, { ...context, columnAt, childrenOf: () => undefined });
    if (make === undefined) return undefined;
    makers.push(make);
  }
  return eachMaker({ records, makers, form: context.form }, type);
}

/** A list literal. Each entry produces at most one item. */
function listMaker(node: ItemsNode, type: ListType, context: NodeContext): PlainMaker | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems } = type;
  const { form } = context;
  const makers: PlainMaker[] = [];
  for (const entry of node.entries) {
    if (entry.kind === "each" || entry.applies !== undefined || uniqueItems) return valueMaker(node, type, context);
    const make = nodeMaker(entry.item, type.items, undefined, context);
    if (make === undefined) return undefined;
    makers.push(make);
  }
  return (cells) => {
    const start = form.place();
    let content = form.beginList();
    let count = 0;
    for (const make of makers) {
      const place = form.place();
      form.beginItem(count === 0);
      const made = make(cells);
      if (made === UNSURE) return UNSURE;
      if (made === ABSENT) {
        form.undo(place);
        continue;
      }
      content = form.withItem(content, made);
      count += 1;
    }
    form.endList();
    if (count === 0 && makers.length > 0) {
      form.undo(start);
      return ABSENT;
    }
    return count < minItems || count > maxItems ? UNSURE : content;
  };
}
