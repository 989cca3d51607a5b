import { isMap, type YAMLMap } from "yaml";
import type { AttrPath } from "../../../json/attr.ts";
import type { JsonObject } from "../../../json/json-value.ts";
import { columnOf, endOf, eolOf, keptComments, placeOf, rangeOf, startOf } from "./places.ts";
import { flowText, keyText } from "./yaml-lines.ts";

/** Returns the YAML text with an object as the only item of a list; undefined if the text has an unsupported form. */
export function withObjectInList(text: string, path: AttrPath): string | undefined {
  const node = objectAt(text, path);
  if (node === undefined || node.items.length === 0) return undefined;
  const end = endOf(node);
  if (node.flow === true) {
    const [start] = rangeOf(node);
    return `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`;
  }
  const start = startOf(node.items[0]);
  return `${text.slice(0, start)}- ${indented(text.slice(start, end))}${text.slice(end)}`;
}

/**
 * Returns the object at a path; undefined for any other value, and if other parts of the text may refer to the object.
 */
function objectAt(text: string, path: AttrPath): YAMLMap | undefined {
  const { node, rest } = placeOf(text, path);
  return rest.length === 0 ? plainObject(node) : undefined;
}

function plainObject(node: unknown): YAMLMap | undefined {
  return isMap(node) && node.anchor === undefined && node.tag === undefined ? node : undefined;
}

function indented(lines: string): string {
  return lines.replaceAll(/\n(?=[^\r\n])/g, "\n  ");
}

/**
 * Returns the YAML text with an object as the entry `item` of a new object; undefined if the text has an unsupported
 * form.
 */
export function withItem(text: string, path: AttrPath, head: JsonObject): string | undefined {
  const node = objectAt(text, path);
  if (node === undefined) return undefined;
  const entries = Object.entries(head).map(([name, value]) => `${keyText(name)}: ${flowText(value)}`);
  const end = endOf(node);
  if (node.flow === true) {
    const [start] = rangeOf(node);
    const opening = [...entries, "item: "].join(", ");
    return `${text.slice(0, start)}{ ${opening}${text.slice(start, end)} }${text.slice(end)}`;
  }
  const start = startOf(node.items[0]);
  const next = eolOf(text) + " ".repeat(columnOf(node, text));
  const opening = [...entries, "item:"].join(next);
  return `${text.slice(0, start)}${opening}${next}  ${indented(text.slice(start, end))}${text.slice(end)}`;
}

/**
 * Returns the YAML text with an object replaced by the value of its only entry, `item`; undefined if the text has an
 * unsupported form.
 */
export function withoutItem(text: string, path: AttrPath): string | undefined {
  const node = objectAt(text, path);
  const [pair] = node?.items ?? [];
  const inner = plainObject(pair?.value);
  if (node === undefined || inner === undefined || node.items.length !== 1) return undefined;
  const start = node.flow === true ? rangeOf(node)[0] : startOf(pair);
  const end = endOf(node);
  const [before, after] = [text.slice(0, start), text.slice(end)];
  if (inner.flow === true) return before + text.slice(rangeOf(inner)[0], endOf(inner)) + after;
  const first = startOf(inner.items[0]);
  const column = columnOf(node, text);
  const [comment, ...more] = keptComments(text.slice(start, first), "item", column);
  const kept = comment === undefined ? "" : `${comment.trimStart()}${more.join("")}${" ".repeat(column)}`;
  return before + kept + outdented(text.slice(first, end), columnOf(inner, text) - column) + after;
}

function outdented(lines: string, columns: number): string {
  return lines.replaceAll(new RegExp(`\\n {0,${Math.max(0, columns)}}`, "g"), "\n");
}
