import { formatAttr, type AttrSegment } from "../../json/attr.ts";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import type { LocalProblem } from "../../model/problem.ts";
import { addProblem } from "../../model/problem-limit.ts";
import type { Row } from "../../model/record.ts";
import { shapeOf } from "../../text/shape.ts";
import { type CellContent, ConversionFailure } from "../leaf/conversion.ts";
import type { Origin } from "../mapping.ts";
import { charactersOf, checkPayloadLength } from "./payload-size.ts";
import type {
  EachNode,
  ForeignNode,
  ItemsNode,
  LeafNode,
  MappingNode,
  ObjectNode,
  OriginKind,
  RowSelection,
  SplitNode,
  VariantNode,
} from "./mapping-node.ts";

export interface BuildState {
  /** The attr of the current entry. */
  readonly path: AttrSegment[];
  readonly problems: LocalProblem[];
  /** The origins of all values; undefined if the caller does not need them. */
  readonly origins: Origin[] | undefined;
  /** The parent row for which each selection was last checked. */
  readonly checked: Map<RowSelection, Row>;
  /** Number of values from cells so far. A list with items from child rows also counts as one value. */
  cells: number;
  /** Number of characters in all values so far, including constants and defaults. */
  characters: number;
}

export function newBuildState(origins?: Origin[]): BuildState {
  return { path: [], problems: [], origins, checked: new Map(), cells: 0, characters: 0 };
}

export function resetBuildState(build: BuildState): void {
  // These changes are slow, and all three collections are nearly always empty.
  if (build.path.length > 0) build.path.length = 0;
  if (build.problems.length > 0) build.problems.length = 0;
  if (build.checked.size > 0) build.checked.clear();
  build.cells = 0;
  build.characters = 0;
}

/** Returns undefined if the value is empty. */
export function buildValue(node: MappingNode, row: Row, build: BuildState): JsonValue | undefined {
  if (node.kind === "leaf") return buildLeaf(node, row, build);
  if (node.kind === "object") return buildObject(node, row, build);
  if (node.kind === "each") return buildEach(node, row, build);
  if (node.kind === "items") return buildItems(node, row, build);
  if (node.kind === "split") return buildSplit(node, row, build);
  if (node.kind === "foreign") return buildForeign(node, row, build);
  return buildObject(variantFor(node, row), row, build);
}

/** Returns the fields of an object, which depend on the value of one field in this row. */
export function variantFor(node: VariantNode, row: Row): ObjectNode {
  if (node.discriminator === undefined) return node.otherwise;
  const value = buildValue(node.discriminator, row, newBuildState());
  return (typeof value === "object" ? undefined : node.variants.get(String(value))) ?? node.otherwise;
}

/** Builds the item of a child row. An empty row produces an empty object, but no scalar. */
export function itemOf(node: EachNode, row: Row, build: BuildState): JsonValue | undefined {
  const item = buildValue(node.item, row, build);
  return item === undefined && (node.item.kind === "object" || node.item.kind === "variant") ? {} : item;
}

function buildObject(node: ObjectNode, row: Row, build: BuildState): JsonObject | undefined {
  const cellsBefore = build.cells;
  const originsBefore = build.origins?.length ?? 0;
  const fields: Record<string, JsonValue> = {};
  let empty = true;
  for (const field of node.fields) {
    build.path.push(field.name);
    const value = buildValue(field.node, row, build);
    build.path.pop();
    if (value === undefined) continue;
    fields[field.name] = value;
    empty = false;
  }
  if (empty) return node.isEmpty ? fields : undefined;
  const onlyConstants = node.optional && build.cells === cellsBefore;
  if (!onlyConstants || node.required.every((name) => Object.hasOwn(fields, name))) return fields;
  build.origins?.splice(originsBefore);
  return undefined;
}

function buildForeign({ node }: ForeignNode, row: Row, build: BuildState): JsonValue | undefined {
  const cellsBefore = build.cells;
  const originsBefore = build.origins?.length ?? 0;
  const value = buildValue(node, row, build);
  if (build.cells > cellsBefore) return value;
  build.origins?.splice(originsBefore);
  return undefined;
}

/** Returns the rows of the child source from which a list is built. */
export function childRows(node: EachNode, row: Row): readonly Row[] {
  if (node.parent !== undefined) node.parent.row = row;
  const children = row.children?.get(node.source) ?? [];
  return node.condition === undefined ? children : children.filter(node.condition.applies);
}

function buildEach(node: EachNode, row: Row, build: BuildState): readonly JsonValue[] | undefined {
  const items: JsonValue[] = [];
  appendEach(node, row, build, items);
  return items.length === 0 ? undefined : items;
}

function appendEach(node: EachNode, row: Row, build: BuildState, items: JsonValue[]): void {
  const before = items.length;
  for (const child of childRows(node, row)) {
    build.path.push(items.length);
    const item = itemOf(node, child, build);
    build.path.pop();
    if (item !== undefined) items.push(item);
  }
  if (items.length > before) build.cells += 1;
  if (node.selection !== undefined) addUnselected(node.selection, row, build);
}

/** Returns undefined for a list without items, unless the mapping defines the list as empty (`[]`). */
function buildItems({ entries }: ItemsNode, row: Row, build: BuildState): readonly JsonValue[] | undefined {
  const items: JsonValue[] = [];
  for (const entry of entries) {
    if (entry.kind === "each") {
      appendEach(entry, row, build, items);
      continue;
    }
    if (entry.applies?.(row) === false) continue;
    build.path.push(items.length);
    const value = buildValue(entry.item, row, build);
    build.path.pop();
    if (value !== undefined) items.push(value);
  }
  return items.length === 0 && entries.length > 0 ? undefined : items;
}

/**
 * Warns about the child rows that none of several conditions selects, because they are not sent. A single condition is
 * a deliberate choice of rows.
 */
function addUnselected(selection: RowSelection, row: Row, build: BuildState): void {
  const { source, conditions, parents, isComplete } = selection;
  if (isComplete || conditions.size === 1 || build.checked.get(selection) === row) return;
  build.checked.set(selection, row);
  for (const parent of parents) parent.row = row;
  const [first, ...others] = conditions.values();
  for (const child of row.children?.get(source) ?? []) {
    if (first === undefined || first.applies(child) || others.some(({ applies }) => applies(child))) continue;
    const problem = { code: "source_unselected_row", severity: "warning", by: "local", source } as const;
    addProblem(build.problems, { attr: formatAttr(build.path), ...problem, place: first.placeIn(child) });
  }
}

function buildSplit({ leaf, parts }: SplitNode, row: Row, build: BuildState): readonly JsonValue[] | undefined {
  if (leaf.applies?.(row) === false) return undefined;
  const content = leaf.read?.(row);
  if (content === undefined) return undefined;
  const items: JsonValue[] = [];
  for (const part of parts(content)) {
    build.path.push(items.length);
    const value = valueOf(leaf, part, row, build);
    build.path.pop();
    if (value !== undefined) items.push(value);
  }
  return items.length === 0 ? undefined : items;
}

function buildLeaf(leaf: LeafNode, row: Row, build: BuildState): JsonValue | undefined {
  if (leaf.applies !== undefined && !leaf.applies(row)) return undefined;
  const content = leaf.read?.(row);
  const value = content === undefined ? undefined : valueOf(leaf, content, row, build);
  if (value !== undefined || leaf.fallback === undefined) return value;
  build.characters += charactersOf(leaf.fallback);
  checkPayloadLength(build.characters);
  recordOrigin(leaf, row, build, { value: leaf.fallback, from: leaf.read === undefined ? "value" : "default" });
  return leaf.fallback;
}

function valueOf(leaf: LeafNode, content: CellContent, row: Row, build: BuildState): JsonValue | undefined {
  const result = leaf.finish(content, row);
  if (result === undefined) return undefined;
  build.cells += 1;
  const value = result instanceof ConversionFailure ? result.kept : result;
  build.characters += charactersOf(value);
  checkPayloadLength(build.characters);
  if (result instanceof ConversionFailure) addProblem(build.problems, problemOf(result, leaf, row, build));
  recordOrigin(leaf, row, build, { value, from: leaf.origin });
  return value;
}

function problemOf(failure: ConversionFailure, leaf: LeafNode, row: Row, build: BuildState): LocalProblem {
  const place = leaf.placeIn(row);
  return {
    attr: formatAttr(build.path),
    ...failure.finding,
    severity: "error",
    by: "local",
    ...(place === undefined ? {} : { place }),
    shape: shapeOf(failure.kept),
  };
}

function recordOrigin(
  leaf: LeafNode,
  row: Row,
  build: BuildState,
  origin: { value: JsonValue; from: OriginKind },
): void {
  if (build.origins === undefined) return;
  const place = origin.from === "value" ? undefined : leaf.placeIn(row);
  build.origins.push({
    attr: formatAttr(build.path),
    ...(place === undefined ? {} : { place }),
    from: origin.from,
    value: origin.value,
  });
}
