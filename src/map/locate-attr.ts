import type { AttrPath, AttrSegment } from "../json/attr.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import type { Row } from "../model/record.ts";
import { buildValue, itemOf, newBuildState, variantFor } from "./build-payload.ts";
import type { EachNode, ItemsNode, MappingNode, ObjectNode } from "./mapping-node.ts";
import { placeOf } from "./source-columns.ts";

/**
 * Walks the mapping along an attr to the cell behind it. Where there is no cell (a constant, an attr that is not
 * mapped, an object as a whole) it is the row that the entry is built from; for a list of child rows as a whole the
 * first of them, and the parent's row when there are none.
 */
export function locateAttr(node: MappingNode, row: Row, path: AttrPath): Place {
  const [segment] = path;
  const rest = path.slice(1);
  if (node.kind === "leaf") return node.placeIn(row) ?? placeOf(row);
  if (node.kind === "split") return node.leaf.placeIn(row) ?? placeOf(row);
  if (node.kind === "items") return inItems(node, row, segment, rest);
  if (node.kind === "each") return inEach(node, row, segment, rest);
  return inField(node.kind === "object" ? node : variantFor(node, row), row, segment, rest);
}

function inField(node: ObjectNode, row: Row, segment: AttrSegment | undefined, rest: AttrPath): Place {
  const field = node.fields.find(({ name }) => name === String(segment));
  return field === undefined ? placeOf(row) : locateAttr(field.node, row, rest);
}

function inItems(node: ItemsNode, row: Row, segment: AttrSegment | undefined, rest: AttrPath): Place {
  const item = nth(node.items, segment, (entry) => buildValue(entry, row, newBuildState()));
  return item === undefined ? placeOf(row) : locateAttr(item, row, rest);
}

function inEach(node: EachNode, row: Row, segment: AttrSegment | undefined, rest: AttrPath): Place {
  const children = row.children?.get(node.source) ?? [];
  const child = makesEveryItem(node)
    ? children[typeof segment === "number" ? segment : -1]
    : nth(children, segment, (entry) => itemOf(node, entry, newBuildState()));
  return child === undefined ? placeOf(children[0] ?? row) : locateAttr(node.item, child, rest);
}

/** An object is made of every row, even of an empty one: a hundred thousand rows need not be built to count them. */
function makesEveryItem({ item }: EachNode): boolean {
  return item.kind === "object" || item.kind === "variant";
}

/** What item number `segment` of a list was built from: entries that were left with nothing do not count. */
function nth<Entry>(
  entries: readonly Entry[],
  segment: AttrSegment | undefined,
  build: (entry: Entry) => JsonValue | undefined,
): Entry | undefined {
  let left = typeof segment === "number" ? segment : Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    if (build(entry) === undefined) continue;
    if (left === 0) return entry;
    left -= 1;
  }
  return undefined;
}
