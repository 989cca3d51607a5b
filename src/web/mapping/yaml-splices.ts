import { isMap, isScalar, isSeq, Lexer, type Node, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { yamlText } from "../../commands/init/write/yaml-text.ts";
import type { AttrPath, AttrSegment } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";

/** The comments in a YAML text, without `#`, in order. */
export function commentsIn(text: string): readonly string[] {
  return [...new Lexer().lex(text)].filter((token) => token.startsWith("#")).map((token) => token.slice(1).trim());
}

type Collection = YAMLMap | YAMLSeq;

interface Place {
  readonly node: unknown;
  readonly pair: Pair | undefined;
  /** The collections around the node, outermost first, each with its pair, if it is the value of one. */
  readonly around: readonly Around[];
  /** The part of the path that does not exist. */
  readonly rest: AttrPath;
}

interface Around {
  readonly collection: Collection;
  readonly pair: Pair | undefined;
}

function placeOf(text: string, path: AttrPath): Place {
  let node: unknown = parseDocument(text, { version: "1.2", uniqueKeys: false, keepSourceTokens: true }).contents;
  let pair: Pair | undefined;
  const around: Around[] = [];
  for (const [at, part] of path.entries()) {
    const collection = isMap(node) || isSeq(node) ? node : undefined;
    const found = collection && memberOf(collection, part);
    if (collection === undefined || found === undefined) return { node, pair, around, rest: path.slice(at) };
    around.push({ collection, pair });
    [node, pair] = [found.node, found.pair];
  }
  return { node, pair, around, rest: [] };
}

function memberOf(
  collection: Collection,
  part: AttrSegment,
): { readonly node: unknown; readonly pair: Pair | undefined } | undefined {
  if (isSeq(collection)) {
    return typeof part === "number" && part < collection.items.length
      ? { node: collection.items[part], pair: undefined }
      : undefined;
  }
  const pair = collection.items.find(({ key }) => isScalar(key) && (key.source ?? String(key.value)) === String(part));
  return pair && { node: pair.value, pair };
}

interface Entry {
  readonly path: AttrPath;
  readonly value: JsonValue;
  /** Levels of the value that are written one entry per line; deeper ones are written in braces. */
  readonly levels: number;
}

/** The YAML text with an entry added or replaced; undefined if the text is written in an unsupported form. */
export function withEntry(text: string, { path, value, levels: own }: Entry): string | undefined {
  const { node, pair, around, rest } = placeOf(text, path);
  const [part, ...below] = rest;
  if (part === undefined) return withValue(text, node, value, pair);
  const inner = nested(below, value);
  const levels = own + below.length;
  if (isCollection(node) && node.items.length > 0) {
    return node.flow === true ? intoFlow(text, node, part, inner) : intoBlock(text, node, { part, inner, levels });
  }
  const entry = typeof part === "number" ? [inner] : { [part]: inner };
  return intoEmpty(text, { node, pair, parent: around.at(-1)?.collection }, entry, levels);
}

interface EmptyObject {
  readonly node: unknown;
  readonly pair: Pair | undefined;
  /** The collection that contains it. */
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

function isCollection(node: unknown): node is Collection {
  return isMap(node) || isSeq(node);
}

function isEmpty(node: unknown): boolean {
  return isCollection(node)
    ? node.items.length === 0
    : node === null || (isScalar(node) && node.value === null && rangeOf(node)[0] === rangeOf(node)[1]);
}

/** The YAML text with an object as the only item of a list; undefined if it is written in an unsupported form. */
export function withObjectInList(text: string, path: AttrPath): string | undefined {
  const { node, rest } = placeOf(text, path);
  if (rest.length > 0 || !isMap(node) || node.items.length === 0 || node.anchor !== undefined || node.tag !== undefined)
    return undefined;
  const end = endOf(node);
  if (node.flow === true) {
    const [start] = rangeOf(node);
    return `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`;
  }
  const start = startOf(node.items[0]);
  const inside = text.slice(start, end).replaceAll(/\n(?=[^\r\n])/g, "\n  ");
  return `${text.slice(0, start)}- ${inside}${text.slice(end)}`;
}

/** Replaces the text of a value. */
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

function afterColon(text: string, { key }: Pair): number | undefined {
  const end = isNode(key) ? endOf(key) : -1;
  const colon = /^\s*:/.exec(text.slice(end))?.[0].length;
  return end < 0 || colon === undefined ? undefined : end + colon;
}

function intoFlow(text: string, collection: Collection, part: AttrSegment, inner: JsonValue): string {
  const last = endOf(collection);
  const end = Math.max(...collection.items.map((item) => endOf(item)));
  const entry = isMap(collection) ? `${keyText(String(part))}: ${flowText(inner)}` : flowText(inner);
  const comma = /^\s*,/.test(text.slice(end, last)) ? " " : ", ";
  return comma === ", "
    ? `${text.slice(0, end)}, ${entry}${text.slice(end)}`
    : `${text.slice(0, end)},${comma}${entry}${text.slice(end)}`;
}

interface NewEntry {
  readonly part: AttrSegment;
  readonly inner: JsonValue;
  /** Levels of the inner value that are written one entry per line. */
  readonly levels: number;
}

function intoBlock(text: string, collection: Collection, { part, inner, levels }: NewEntry): string {
  const indent = " ".repeat(columnOf(collection, text));
  const lines = isMap(collection)
    ? fieldLines(String(part), inner, levels)
    : itemLines(inner, Math.max(levels, isJsonObject(inner) && levels > 0 ? 1 : 0));
  return insertLines(text, lineEnd(text, endOf(collection)), { lines, indent });
}

/** Writes an object below its key, whose line has no value yet. */
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
  return insertLines(trimmed, lineEnd(trimmed, keyEnd), { lines: valueLines(entry, levels), indent });
}

function insertLines(
  text: string,
  at: number,
  { lines, indent }: { readonly lines: readonly string[]; readonly indent: string },
): string {
  const eol = eolOf(text);
  const before = text.slice(0, at);
  const opening = before === "" || before.endsWith("\n") ? "" : eol;
  return before + opening + lines.map((line) => `${indent}${line}${eol}`).join("") + text.slice(at);
}

function valueLines(value: JsonValue, levels: number): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((item) => itemLines(item, levels));
  if (!isJsonObject(value)) return [flowText(value)];
  return Object.entries(value).flatMap(([name, member]) => fieldLines(name, member, levels - 1));
}

function fieldLines(name: string, value: JsonValue, levels: number): readonly string[] {
  const isBlock = levels > 0 && typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (!isBlock) return [`${keyText(name)}: ${flowText(value)}`];
  return [`${keyText(name)}:`, ...valueLines(value, levels).map((line) => `  ${line}`)];
}

function itemLines(value: JsonValue, levels: number): readonly string[] {
  if (!isJsonObject(value) || levels <= 0) return [`- ${flowText(value)}`];
  const [first = "", ...rest] = valueLines(value, levels);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

/** Renders a value on one line. */
export function flowText(value: JsonValue): string {
  if (typeof value === "string") return yamlText(value);
  if (isJsonArray(value)) return `[${value.map(flowText).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, member]) => `${keyText(name)}: ${flowText(member)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** Names are always text, so digits and words such as `on` need no quotes. */
function keyText(name: string): string {
  return /^(?:\d+|[A-Za-z]|on|true|false)$/.test(name) ? name : yamlText(name);
}

/** The YAML text without an entry; its comments stay. Undefined if the text is written in an unsupported form. */
export function withoutEntry(text: string, path: AttrPath): string | undefined {
  const { node, pair, around, rest } = placeOf(text, path);
  const holder = around.at(-1);
  if (holder === undefined || rest.length > 0) return undefined;
  const { collection } = holder;
  const item = { node: pair ?? node, name: String(path.at(-1)) };
  if (collection.flow === true) return outOfFlow(text, collection, item);
  return collection.items.length > 1 ? outOfBlock(text, collection, item) : withoutLast(text, holder, item);
}

interface Item {
  /** A pair of a map, or a node of a list. */
  readonly node: unknown;
  readonly name: string;
}

/** Leaves an empty object or list, followed by the comments of its only entry. */
function withoutLast(text: string, { collection, pair }: Around, { node, name }: Item): string | undefined {
  const keyEnd = pair && afterColon(text, pair);
  if (keyEnd === undefined) return undefined;
  const start = rangeOf(collection)[0];
  const end = lineEnd(text, endOf(node));
  const between = text.slice(keyEnd, start).trimEnd();
  const kept = keptComments(text.slice(start, end), name, columnOf(collection, text));
  return `${text.slice(0, keyEnd)} ${isMap(collection) ? "{}" : "[]"}${between}${eolOf(text)}${kept.join("")}${text.slice(end)}`;
}

function outOfFlow(text: string, collection: Collection, { node }: Item): string {
  const at = collection.items.findIndex((item) => item === node);
  const start = startOf(node);
  const end = endOf(node);
  const next = collection.items[at + 1];
  if (next !== undefined) return text.slice(0, start) + text.slice(startOf(next));
  const previous = collection.items[at - 1];
  if (previous !== undefined) return text.slice(0, endOf(previous)) + text.slice(end);
  const [open, close] = [rangeOf(collection)[0] + 1, endOf(collection) - 1];
  return text.slice(0, open) + text.slice(close);
}

function outOfBlock(text: string, collection: Collection, { node, name }: Item): string {
  const at = collection.items.findIndex((item) => item === node);
  const start = itemStart(collection, at);
  const end = lineEnd(text, endOf(node));
  const kept = keptComments(text.slice(start, end), name, columnOf(collection, text));
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  if (text.slice(lineStart, start).trim() === "") return text.slice(0, lineStart) + kept.join("") + text.slice(end);
  // The first entry of an object or list in a list is on the line of the dash.
  const next = at + 1 < collection.items.length ? itemStart(collection, at + 1) : end;
  const [first, ...others] = kept;
  if (first !== undefined) return text.slice(0, start) + first.trimStart() + others.join("") + text.slice(end);
  const between = text.slice(end, next);
  return text.slice(0, start).trimEnd() + (between.trim() === "" ? " " : eolOf(text) + between) + text.slice(next);
}

/** The position of the key, or of the dash of a list item. */
function itemStart(collection: Collection, at: number): number {
  const { srcToken } = collection;
  const dash = srcToken?.type === "block-seq" ? srcToken.items[at]?.start.find(isDash) : undefined;
  return dash?.offset ?? startOf(collection.items[at]);
}

function isDash({ type }: { readonly type: string }): boolean {
  return type === "seq-item-ind";
}

/** The comments of removed text, one per line, each with the name of the removed entry. */
function keptComments(text: string, name: string, column: number): readonly string[] {
  const indent = " ".repeat(column);
  return commentsIn(text).map((comment) => `${indent}# ${name}: ${comment}${eolOf(text)}`);
}

function isNode(node: unknown): node is Node {
  return typeof node === "object" && node !== null && "range" in node;
}

function rangeOf(node: Node): readonly [start: number, end: number] {
  const [start = 0, end = 0] = node.range ?? [];
  return [start, end];
}

function startOf(item: unknown): number {
  if (isNode(item)) return rangeOf(item)[0];
  return isPairOfNodes(item) && isNode(item.key) ? rangeOf(item.key)[0] : 0;
}

/** The end of the last character that is not a comment or white space. */
function endOf(item: unknown): number {
  if (isCollection(item) && item.flow !== true && item.items.length > 0) return endOf(item.items.at(-1));
  if (isNode(item)) return rangeOf(item)[1];
  if (!isPairOfNodes(item)) return 0;
  return Math.max(isNode(item.key) ? rangeOf(item.key)[1] : 0, item.value === null ? 0 : endOf(item.value));
}

function isPairOfNodes(item: unknown): item is Pair {
  return typeof item === "object" && item !== null && "key" in item && "value" in item;
}

/** The position after the line of the last character before `end`. */
function lineEnd(text: string, end: number): number {
  if (end > 0 && text[end - 1] === "\n") return end;
  const line = text.indexOf("\n", end);
  return line < 0 ? text.length : line + 1;
}

/** The indentation of the entries of a collection. */
function columnOf(collection: Collection, text: string): number {
  const [first] = collection.items;
  const start = isSeq(collection) ? rangeOf(collection)[0] : startOf(first);
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
