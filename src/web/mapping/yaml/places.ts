import { isMap, isScalar, isSeq, Lexer, type Node, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import type { AttrPath, AttrSegment } from "../../../json/attr.ts";

/** Returns the comments in YAML text, in order and without `#`. */
export function commentsIn(text: string): readonly string[] {
  return [...new Lexer().lex(text)].filter((token) => token.startsWith("#")).map((token) => token.slice(1).trim());
}

export type Collection = YAMLMap | YAMLSeq;

export interface Place {
  readonly node: unknown;
  readonly pair: Pair | undefined;
  /** The collections around the node, outermost first. A collection has a pair if it is the value of that pair. */
  readonly around: readonly Around[];
  /** The part of the path that does not exist. */
  readonly rest: AttrPath;
}

export interface Around {
  readonly collection: Collection;
  readonly pair: Pair | undefined;
}

export function placeOf(text: string, path: AttrPath): Place {
  let node: unknown = parseDocument(text, { version: "1.2", uniqueKeys: false, keepSourceTokens: true }).contents;
  let pair: Pair | undefined;
  const around: Around[] = [];
  for (const [at, part] of path.entries()) {
    const found = isCollection(node) ? memberOf(node, part) : undefined;
    if (!isCollection(node) || found === undefined) return { node, pair, around, rest: path.slice(at) };
    around.push({ collection: node, pair });
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

export function isCollection(node: unknown): node is Collection {
  return isMap(node) || isSeq(node);
}

export function afterColon(text: string, { key }: Pair): number | undefined {
  const end = isNode(key) ? endOf(key) : -1;
  const colon = /^\s*:/.exec(text.slice(end))?.[0].length;
  return end < 0 || colon === undefined ? undefined : end + colon;
}

/** Returns the comments of removed text, one per line, each with the name of the removed entry. */
export function keptComments(text: string, name: string, column: number): readonly string[] {
  const indent = " ".repeat(column);
  return commentsIn(text).map((comment) => `${indent}# ${name}: ${comment}${eolOf(text)}`);
}

export function isNode(node: unknown): node is Node {
  return typeof node === "object" && node !== null && "range" in node;
}

export function rangeOf(node: Node): readonly [start: number, end: number] {
  const [start = 0, end = 0] = node.range ?? [];
  return [start, end];
}

export function startOf(item: unknown): number {
  if (isNode(item)) return rangeOf(item)[0];
  return isPairOfNodes(item) && isNode(item.key) ? rangeOf(item.key)[0] : 0;
}

/** Returns the end of a node, excluding trailing comments and whitespace. */
export function endOf(item: unknown): number {
  if (isCollection(item) && item.flow !== true && item.items.length > 0) return endOf(item.items.at(-1));
  if (isNode(item)) return rangeOf(item)[1];
  if (!isPairOfNodes(item)) return 0;
  return Math.max(isNode(item.key) ? rangeOf(item.key)[1] : 0, item.value === null ? 0 : endOf(item.value));
}

function isPairOfNodes(item: unknown): item is Pair {
  return typeof item === "object" && item !== null && "key" in item && "value" in item;
}

/** Returns the end of the line that contains the character before `end`, including the line break. */
export function lineEnd(text: string, end: number): number {
  if (end > 0 && text[end - 1] === "\n") return end;
  const line = text.indexOf("\n", end);
  return line < 0 ? text.length : line + 1;
}

/** Returns the indentation of a collection's entries. */
export function columnOf(collection: Collection, text: string): number {
  const [first] = collection.items;
  const start = isSeq(collection) ? rangeOf(collection)[0] : startOf(first);
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

export function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
