import { isMap } from "yaml";
import type { AttrPath } from "../../../json/attr.ts";
import {
  afterColon,
  type Around,
  type Collection,
  columnOf,
  endOf,
  eolOf,
  keptComments,
  lineEnd,
  placeOf,
  rangeOf,
  startOf,
} from "./places.ts";

/** Returns the YAML text without an entry but with its comments; undefined if the text has an unsupported form. */
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
  /** A pair of a map, or an item of a list. */
  readonly node: unknown;
  readonly name: string;
}

/** Removes the only entry. Leaves an empty object or list, followed by the comments of the entry. */
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
  const previous = collection.items[at - 1];
  const isOnSameLine = previous !== undefined && /^\s*,[ \t]*$/.test(text.slice(endOf(previous), start));
  if (next !== undefined && !isOnSameLine) return text.slice(0, start) + text.slice(startOf(next));
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
  if (text.slice(lineStart, start).trim() === "") {
    const isLastLine = end === text.length && !text.endsWith("\n") && kept.length === 0;
    const before = isLastLine ? text.slice(0, lineStart).replace(/\r?\n$/, "") : text.slice(0, lineStart);
    return before + kept.join("") + text.slice(end);
  }
  // The first entry of a collection inside a list is on the same line as the dash.
  const next = at + 1 < collection.items.length ? itemStart(collection, at + 1) : end;
  const [first, ...others] = kept;
  if (first !== undefined) return text.slice(0, start) + first.trimStart() + others.join("") + text.slice(end);
  const between = text.slice(end, next);
  const before = text.slice(0, start);
  return (between.trim() === "" ? before : before.trimEnd() + eolOf(text) + between) + text.slice(next);
}

/** Returns the position of a key, or of the dash of a list item. */
function itemStart(collection: Collection, at: number): number {
  const { srcToken } = collection;
  const dash =
    srcToken?.type === "block-seq" ? srcToken.items[at]?.start.find(({ type }) => type === "seq-item-ind") : undefined;
  return dash?.offset ?? startOf(collection.items[at]);
}
