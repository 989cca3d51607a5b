import type { AttrPath, AttrSegment } from "../../json/attr.ts";
import type { Place } from "../../model/place.ts";
import { placeOf, type Row } from "../../model/record.ts";
import type { SourceColumn } from "../source-columns.ts";
import { buildValue, childRows, itemOf, newBuildState, variantFor } from "./build-payload.ts";
import type { EachNode, ItemsNode, MappingNode, ObjectNode, SingleEntry } from "./mapping-node.ts";

/**
 * Returns the place of an attr's cell. If there is no cell (a constant, an unmapped attr, a whole object), returns the
 * place of the row from which the entry is built. For a whole list of child rows, returns the place of the first child
 * row, or of the parent row if there is no child row.
 */
export function locateAttr(node: MappingNode, row: Row, path: AttrPath): Place {
  const [segment] = path;
  const rest = path.slice(1);
  if (node.kind === "leaf") return node.placeIn(row) ?? placeOf(row);
  if (node.kind === "foreign") return locateAttr(node.node, row, path);
  if (node.kind === "split") return node.leaf.placeIn(row) ?? placeOf(row);
  if (node.kind === "items") return inItems(node, row, segment, rest);
  if (node.kind === "each") return inEach(node, row, segment, rest);
  return inField(node.kind === "object" ? node : variantFor(node, row), row, segment, rest);
}

/** Returns the columns from which the value of an attr is built, in any row. */
export function columnsBehind(node: MappingNode, path: AttrPath): readonly SourceColumn[] {
  const [segment] = path;
  const rest = path.slice(1);
  if (node.kind === "leaf") return node.from;
  if (node.kind === "foreign") return columnsBehind(node.node, path);
  if (node.kind === "split") return node.leaf.from;
  if (node.kind === "items") return node.entries.flatMap(({ item }) => columnsBehind(item, rest));
  if (node.kind === "each") return columnsBehind(node.item, rest);
  const { fields } = node.kind === "object" ? node : node.otherwise;
  return fields.filter(({ name }) => name === String(segment)).flatMap((field) => columnsBehind(field.node, rest));
}

function inField(node: ObjectNode, row: Row, segment: AttrSegment | undefined, rest: AttrPath): Place {
  const field = node.fields.find(({ name }) => name === String(segment));
  return field === undefined ? placeOf(row) : locateAttr(field.node, row, rest);
}

function inItems({ entries }: ItemsNode, row: Row, segment: AttrSegment | undefined, rest: AttrPath): Place {
  let left = typeof segment === "number" ? segment : Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const rows = entry.kind === "each" ? rowsWithItem(entry, row) : hasItem(entry, row) ? [row] : [];
    const found = rows[left];
    if (found !== undefined) return locateAttr(entry.item, found, rest);
    left -= rows.length;
  }
  return placeOf(row);
}

function inEach(node: EachNode, row: Row, segment: AttrSegment | undefined, rest: AttrPath): Place {
  const child = rowsWithItem(node, row)[typeof segment === "number" ? segment : -1];
  return child === undefined ? placeOf(childRows(node, row)[0] ?? row) : locateAttr(node.item, child, rest);
}

/**
 * Returns the rows that produce an item. Every row produces an object, even an empty row, so object items can be
 * counted without building them.
 */
function rowsWithItem(node: EachNode, row: Row): readonly Row[] {
  const rows = childRows(node, row);
  if (node.item.kind === "object" || node.item.kind === "variant") return rows;
  return rows.filter((child) => itemOf(node, child, newBuildState()) !== undefined);
}

function hasItem({ applies, item }: SingleEntry, row: Row): boolean {
  return applies?.(row) !== false && buildValue(item, row, newBuildState()) !== undefined;
}
