import { isMap, isScalar, isSeq, type Pair } from "yaml";
import type { AttrPath, AttrSegment } from "../../../json/attr.ts";
import { isJsonObject, type JsonValue } from "../../../json/json-value.ts";
import {
  afterColon,
  type Collection,
  columnOf,
  commentsIn,
  endOf,
  eolOf,
  isCollection,
  isNode,
  lineEnd,
  placeOf,
  rangeOf,
} from "./places.ts";
import { fieldLines, flowText, itemLines, keyText, valueLines } from "./yaml-lines.ts";

interface Entry {
  readonly path: AttrPath;
  readonly value: JsonValue;
  /**
   * The number of levels of the value that are written with one entry per line. Deeper levels are written in braces.
   */
  readonly levels: number;
  /** Name of the entry in the same object after which a new entry is added; default: the last entry. */
  readonly after?: string | undefined;
}

/** Returns the YAML text with an entry added or replaced; undefined if the text has an unsupported form. */
export function withEntry(text: string, { path, value, levels: own, after }: Entry): string | undefined {
  const { node, pair, around, rest } = placeOf(text, path);
  const [part, ...below] = rest;
  if (part === undefined) return withValue(text, node, value, pair);
  const inner = nested(below, value);
  const levels = own + below.length;
  if (isCollection(node) && node.items.length > 0) {
    const entry = { part, inner, levels, end: endOf(entryNamed(node, after) ?? node) };
    return node.flow === true ? intoFlow(text, node, entry) : intoBlock(text, node, entry);
  }
  const entry = typeof part === "number" ? [inner] : { [part]: inner };
  return intoEmpty(text, { node, pair, parent: around.at(-1)?.collection }, entry, levels);
}

function entryNamed(collection: Collection, name: string | undefined): Pair | undefined {
  if (name === undefined || !isMap(collection)) return undefined;
  return collection.items.find(({ key }) => isScalar(key) && key.value === name);
}

interface EmptyObject {
  readonly node: unknown;
  readonly pair: Pair | undefined;
  /** The collection that contains the object. */
  readonly parent: Collection | undefined;
}

/** Fills an object without entries: `payload:`, `payload: {}` or `- {}`. */
function intoEmpty(
  text: string,
  { node, pair, parent }: EmptyObject,
  entry: JsonValue,
  levels: number,
): string | undefined {
  if (pair === undefined)
    return isSeq(parent) && isCollection(node) ? withValue(text, node, entry, undefined) : undefined;
  if (!isEmpty(node)) return undefined;
  if (parent?.flow === true || levels === 0) return withValue(text, node, entry, pair);
  return belowKey(text, { node, pair, parent }, entry, levels + 1);
}

function nested(path: AttrPath, value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>((inner, part) => (typeof part === "number" ? [inner] : { [part]: inner }), value);
}

function isEmpty(node: unknown): boolean {
  return isCollection(node)
    ? node.items.length === 0
    : node === null || (isScalar(node) && node.value === null && rangeOf(node)[0] === rangeOf(node)[1]);
}

function withValue(text: string, node: unknown, value: JsonValue, pair: Pair | undefined): string | undefined {
  if (!isNode(node)) return undefined;
  const [start, end] = [rangeOf(node)[0], endOf(node)];
  const old = text.slice(start, end);
  if (commentsIn(old).length > 0) return undefined;
  const written = flowText(value);
  const isOnNextLine = isCollection(node) && node.flow !== true;
  if (isOnNextLine && pair !== undefined) {
    const keyEnd = afterColon(text, pair);
    if (keyEnd === undefined) return undefined;
    const between = text.slice(keyEnd, start).trimEnd();
    return `${text.slice(0, keyEnd)} ${written}${between}${old.endsWith("\n") ? eolOf(text) : ""}${text.slice(end)}`;
  }
  const space = start === end && /[:,-]$/.test(text.slice(0, start)) ? " " : "";
  return text.slice(0, start) + space + written + (old.endsWith("\n") ? eolOf(text) : "") + text.slice(end);
}

function intoFlow(text: string, collection: Collection, { part, inner, end: after }: NewEntry): string {
  const last = endOf(collection);
  const end = after === last ? Math.max(...collection.items.map((item) => endOf(item))) : after;
  const entry = isMap(collection) ? `${keyText(String(part))}: ${flowText(inner)}` : flowText(inner);
  return `${text.slice(0, end)}, ${entry}${text.slice(end)}`;
}

interface NewEntry {
  readonly part: AttrSegment;
  readonly inner: JsonValue;
  /** The number of levels of the inner value that are written with one entry per line. */
  readonly levels: number;
  /** The end of the previous entry. */
  readonly end: number;
}

function intoBlock(text: string, collection: Collection, { part, inner, levels, end }: NewEntry): string {
  const indent = " ".repeat(columnOf(collection, text));
  const lines = isMap(collection)
    ? fieldLines(String(part), inner, levels)
    : itemLines(inner, Math.max(levels, isJsonObject(inner) && levels > 0 ? 1 : 0));
  return insertLines(text, lineEnd(text, end), lines, indent);
}

/** Writes an object below its key. Removes an empty value, such as `{}`, from the line of the key. */
function belowKey(
  text: string,
  { node, pair, parent }: { readonly node: unknown; readonly pair: Pair; readonly parent: Collection | undefined },
  entry: JsonValue,
  levels: number,
): string | undefined {
  if (parent === undefined) return undefined;
  const emptied = isNode(node) ? text.slice(0, rangeOf(node)[0]) + text.slice(endOf(node)) : text;
  const keyEnd = afterColon(emptied, pair);
  if (keyEnd === undefined) return undefined;
  const trimmed = emptied.slice(0, keyEnd) + emptied.slice(keyEnd).replace(/^[ \t]+(?=\r?\n|$)/, "");
  const indent = " ".repeat(columnOf(parent, text) + 2);
  return insertLines(trimmed, lineEnd(trimmed, keyEnd), valueLines(entry, levels), indent);
}

function insertLines(text: string, at: number, lines: readonly string[], indent: string): string {
  const eol = eolOf(text);
  const before = text.slice(0, at);
  const opening = before === "" || before.endsWith("\n") ? "" : eol;
  const closing = opening === "" ? eol : "";
  return before + opening + lines.map((line) => indent + line).join(eol) + closing + text.slice(at);
}
