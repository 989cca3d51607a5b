import type { FieldType, ListType, ObjectType } from "../../contract/types/field-type.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { EachNode, ItemsNode, MappingNode, ObjectNode } from "../../map/node/mapping-node.ts";
import type { ChildRecords } from "./child-records.ts";
import type { ContentSink } from "./content-sink.ts";
import { startRecord } from "./fast-path-cells.ts";
import { ABSENT, leafEncoder, type EncoderContext, type Encoder, UNCERTAIN, valueEncoder } from "./encode-leaf.ts";

export interface NodeContext extends EncoderContext {
  readonly keyAttr: AttrPath | undefined;
  /** Called when the entry for the business key is compiled. */
  readonly onKey: () => void;
  /** Returns the records of a joined source. Callers must then read all of these records. */
  readonly childrenOf: (source: string) => ChildRecords | undefined;
}

/** Returns an encoder for any mapping entry; undefined if the file lacks one of the entry's columns. */
export function nodeEncoder(
  node: MappingNode,
  declared: FieldType,
  path: AttrPath | undefined,
  context: NodeContext,
): Encoder | undefined {
  const type = constantOption(node, declared) ?? declared;
  if (type.assertions === undefined) {
    if (node.kind === "object" && type.kind === "object") return objectEncoder(node, type, path, context);
    if (node.kind === "items" && type.kind === "list") return listEncoder(node, type, context);
    if (node.kind === "each" && type.kind === "list") return joinedEncoder(node, type, context);
  }
  if (node.kind !== "leaf") return valueEncoder(node, type, context);
  const isKey = path !== undefined && isSamePath(path, context.keyAttr);
  if (isKey) context.onKey();
  return leafEncoder(node, type, context, isKey);
}

/** Returns the option of a union that the mapping selects with a constant; undefined if the mapping selects none. */
function constantOption(node: MappingNode, type: FieldType): FieldType | undefined {
  if (node.kind !== "object" || type.kind !== "union" || type.assertions !== undefined) return undefined;
  const { discriminator } = type;
  const tag = node.fields.find(({ name }) => name === discriminator?.property)?.node;
  if (tag?.kind !== "leaf" || tag.read !== undefined || tag.applies !== undefined) return undefined;
  return typeof tag.fallback === "string" ? discriminator?.mapping.get(tag.fallback) : undefined;
}

function isSamePath(path: AttrPath, other: AttrPath | undefined): boolean {
  return other?.length === path.length && path.every((segment, index) => segment === other[index]);
}

interface FieldEncoder {
  readonly name: number;
  readonly encode: Encoder;
  readonly required: boolean;
}

function objectEncoder(
  node: ObjectNode,
  type: ObjectType,
  path: AttrPath | undefined,
  context: NodeContext,
): Encoder | undefined {
  const isOrdinary = node.isEmpty !== true && node.fields.every(({ name }) => isOrdinaryField(type, name));
  if (!isOrdinary) return valueEncoder(node, type, context);
  const fields: FieldEncoder[] = [];
  const { sink } = context;
  for (const { name, node: inner } of sink.isCanonical ? node.fields.toSorted(byName) : node.fields) {
    const property = type.properties.get(name);
    const below = path && [...path, name];
    const encode = property && nodeEncoder(inner, property.type, below, context);
    if (property === undefined || encode === undefined) return undefined;
    fields.push({ name: sink.nameOf(name), encode, required: property.required });
  }
  const given = new Set(node.fields.map(({ name }) => name));
  const lacksRequired = [...type.properties.values()].some(
    ({ name, required, readOnly }) => required && !readOnly && !given.has(name),
  );
  return objectOf(fields, { lacksRequired, isOptional: node.optional, sink });
}

/** Compares names by UTF-16 code units, as canonical JSON requires. */
function byName({ name: one }: { readonly name: string }, { name: other }: { readonly name: string }): number {
  return one < other ? -1 : 1;
}

/**
 * Whether the contract has the field, the client sets the field, and its name is not a property of `Object.prototype`.
 */
function isOrdinaryField({ properties }: ObjectType, name: string): boolean {
  return properties.get(name)?.readOnly === false && !(name in {});
}

interface ObjectOptions {
  /** True if a required field has no mapping entry. */
  readonly lacksRequired: boolean;
  readonly isOptional: boolean;
  readonly sink: ContentSink;
}

/** As in `buildValue` and validation, an object that is present must be complete. */
function objectOf(fields: readonly FieldEncoder[], { lacksRequired, isOptional, sink }: ObjectOptions): Encoder {
  return (cells) => {
    const before = cells.made;
    const start = sink.place();
    let content = sink.beginObject();
    let count = 0;
    let isIncomplete = lacksRequired;
    for (const { name, encode, required } of fields) {
      const place = sink.place();
      sink.beginMember(name, count === 0);
      const encoded = encode(cells);
      if (encoded >= 0) {
        content = sink.withMember(content, name, encoded);
        count += 1;
        continue;
      }
      if (encoded === UNCERTAIN) return UNCERTAIN;
      sink.undo(place);
      if (required) isIncomplete = true;
    }
    sink.endObject();
    if (count > 0 && !isIncomplete) return content;
    if (count > 0 && !(isOptional && cells.made === before)) return UNCERTAIN;
    sink.undo(start);
    return ABSENT;
  };
}

/**
 * Returns an encoder for a list with one item for each row of a child source; undefined if a file of the source lacks a
 * column.
 */
function joinedEncoder(node: EachNode, type: ListType, context: NodeContext): Encoder | undefined {
  const isSimple = node.condition === undefined && node.parent === undefined && !type.uniqueItems;
  const records = isSimple && node.item.kind === "object" ? context.childrenOf(node.source) : undefined;
  if (records === undefined) return valueEncoder(node, type, context);
  const encoders: Encoder[] = [];
  for (const { layout } of records.files) {
    const columnAt = (name: string): number | undefined => layout.header.table.columnIndex.get(name);
    const encode = nodeEncoder(node.item, type.items, undefined, { ...context, columnAt, childrenOf: () => undefined });
    if (encode === undefined) return undefined;
    encoders.push(encode);
  }
  return eachEncoder({ records, encoders, sink: context.sink }, type);
}

interface JoinedList {
  readonly records: ChildRecords;
  /** The encoders of an item, one for each file of the source. */
  readonly encoders: readonly Encoder[];
  readonly sink: ContentSink;
}

/** Encodes a list with one item for each record of a child source. */
export function eachEncoder(
  { records, encoders, sink }: JoinedList,
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY }: ListType,
): Encoder {
  return (cells) => {
    const count = records.begin(cells.number);
    if (count === 0) return ABSENT;
    if (count < minItems || count > maxItems) return UNCERTAIN;
    let content = sink.beginList();
    for (let index = 0; index < count; index += 1) {
      const file = records.selectChild(index);
      const child = records.cells[file];
      const encode = encoders[file];
      if (child === undefined || encode === undefined) return UNCERTAIN;
      startRecord(child);
      sink.beginItem(index === 0);
      const item = encode(child);
      // An empty child record is still an item, so the row path must handle `ABSENT`.
      if (item < 0) return UNCERTAIN;
      content = sink.withItem(content, item);
      cells.made += child.made;
    }
    cells.made += 1;
    sink.endList();
    return content;
  };
}

/**
 * Returns an encoder for a list literal whose entries each produce at most one item; undefined if the file lacks a
 * column.
 */
function listEncoder(node: ItemsNode, type: ListType, context: NodeContext): Encoder | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems } = type;
  const { sink } = context;
  const encoders: Encoder[] = [];
  for (const entry of node.entries) {
    if (entry.kind === "each" || entry.applies !== undefined || uniqueItems) return valueEncoder(node, type, context);
    const encode = nodeEncoder(entry.item, type.items, undefined, context);
    if (encode === undefined) return undefined;
    encoders.push(encode);
  }
  return (cells) => {
    const start = sink.place();
    let content = sink.beginList();
    let count = 0;
    for (const encode of encoders) {
      const place = sink.place();
      sink.beginItem(count === 0);
      const encoded = encode(cells);
      if (encoded === UNCERTAIN) return UNCERTAIN;
      if (encoded === ABSENT) {
        sink.undo(place);
        continue;
      }
      content = sink.withItem(content, encoded);
      count += 1;
    }
    sink.endList();
    if (count === 0 && encoders.length > 0) {
      sink.undo(start);
      return ABSENT;
    }
    return count < minItems || count > maxItems ? UNCERTAIN : content;
  };
}
