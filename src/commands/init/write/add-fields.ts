import { isMap, isScalar, isSeq, parseDocument, type YAMLMap } from "yaml";
import type { Container, Slot } from "../guess/region.ts";
import { leafText } from "./leaf-text.ts";
import { fieldLines } from "./mapping-text.ts";
import { renderLines, yamlText } from "./yaml-text.ts";

/** The text of a mapping with the added fields. */
interface ExtendedMapping {
  readonly text: string;
  /** The attrs that were added. */
  readonly added: readonly string[];
  /** Required attrs that nothing in the mapping fills and no column fits. */
  readonly open: readonly string[];
}

/**
 * Adds the required fields that a mapping lacks and that a column fits, each after the last field of its object. Keeps
 * every existing character.
 */
export function addFields(text: string, payload: Container, zone: string): ExtendedMapping {
  const found: Additions = { text, zone, insertions: [], added: [], open: [] };
  const root = parseDocument(text).get("payload");
  if (isMap(root)) addTo(root, payload, found);
  const parts = found.insertions.toSorted((one, other) => other.at - one.at);
  const extended = parts.reduce((made, { at, inserted }) => made.slice(0, at) + inserted + made.slice(at), text);
  return { text: extended, added: found.added, open: found.open };
}

interface Additions {
  readonly text: string;
  readonly zone: string;
  readonly insertions: { readonly at: number; readonly inserted: string }[];
  readonly added: string[];
  readonly open: string[];
}

function addTo(map: YAMLMap, container: Container, additions: Additions): void {
  const missing = container.fields.filter((field) => field.required && !map.has(field.name));
  const inserted: string[] = [];
  for (const field of missing) {
    const addition = additionFor(field, map, additions);
    if (addition === undefined) additions.open.push(field.path.join("."));
    else {
      inserted.push(addition);
      additions.added.push(field.path.join("."));
    }
  }
  if (inserted.length > 0) additions.insertions.push({ at: endOf(map, additions.text), inserted: inserted.join("") });
  for (const field of container.fields) {
    if (field.kind === "container") for (const inner of mapsOf(map.get(field.name))) addTo(inner, field, additions);
  }
}

/**
 * Returns the objects that an entry describes: the entry itself, the items of a list literal, or the `item` of an
 * `each` or a `when`.
 */
function mapsOf(entry: unknown): readonly YAMLMap[] {
  if (isSeq(entry)) return entry.items.flatMap(mapsOf);
  if (!isMap(entry)) return [];
  const item = entry.has("each") || entry.has("when") ? entry.get("item") : undefined;
  return item === undefined ? [entry] : mapsOf(item);
}

/** Returns the text to insert; undefined if no column fits. */
function additionFor(field: Slot | Container, map: YAMLMap, { text, zone }: Additions): string | undefined {
  if (map.flow === true) {
    const leaf = field.kind === "slot" ? leafText(field, zone) : undefined;
    return leaf && `${map.items.length > 0 ? "," : ""} ${yamlText(field.name)}: ${leaf}`;
  }
  const lines = fieldLines(field, { depth: 0, zone });
  if (lines.every((line) => line.text === "")) return undefined;
  const indent = " ".repeat(columnOf(map, text));
  return renderLines(lines).replaceAll(/^(?=.)/gm, indent);
}

/** Returns the indentation of an object's keys. */
function columnOf(map: YAMLMap, text: string): number {
  const key = map.items[0]?.key;
  const start = isScalar(key) ? (key.range?.[0] ?? 0) : (map.range?.[0] ?? 0);
  return start - (text.lastIndexOf("\n", start - 1) + 1);
}

/** Returns the position after the last line of the object; in a flow mapping (`{ }`), after its last entry. */
function endOf(map: YAMLMap, text: string): number {
  const last = map.items.at(-1)?.value;
  const range =
    (typeof last === "object" && last !== null && "range" in last ? rangeOf(last.range) : undefined) ?? map.range;
  const end = range?.[1] ?? 0;
  if (map.flow === true) return end;
  const line = text.indexOf("\n", Math.max(0, text[end - 1] === "\n" ? end - 1 : end));
  return line < 0 ? text.length : line + 1;
}

function rangeOf(range: unknown): readonly number[] | undefined {
  return Array.isArray(range) ? range.map(Number) : undefined;
}
