import { parseDocument } from "../../../contract/document/yaml-document.ts";
import type { AttrPath, AttrSegment } from "../../../json/attr.ts";
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberAt,
  valueAt,
} from "../../../json/json-value.ts";
import { Failure } from "../../../model/failure.ts";
import { withJsonNotation } from "../../../contract/document/json-style.ts";
import { commentsIn } from "./places.ts";
import { withoutEntry } from "./removals.ts";
import { withEntry } from "./splices.ts";
import { withItem, withObjectInList, withoutItem } from "./wraps.ts";

/** A value to set at a path of a YAML document. Without a value, the edit removes the entry. */
export interface YamlEdit {
  readonly path: AttrPath;
  readonly value?: JsonValue;
  /**
   * The number of levels of a new object that are written with one field per line. Deeper levels are written in braces.
   */
  readonly blockLevels?: number;
  /** The entry of the same object after which a new entry is added. The default is the last entry. */
  readonly after?: string;
}

/** @throws Failure `mapping_invalid` if the text is not valid YAML */
export function parseMapping(file: string, text: string): JsonValue {
  return parseDocument({ file, text }, "mapping_invalid").value;
}

/**
 * Edits one entry of a YAML document and keeps all other characters. A new entry is added after the entry `after`, or
 * after the last entry of its object. The comment of a removed entry stays and begins with the name of the entry.
 * Objects and lists that become empty are also removed, except at the top level of the document.
 * @throws Failure `mapping_invalid` if the text is not valid YAML, or `usage` if the edit would change anything else
 */
export function editYaml(file: string, text: string, edit: YamlEdit): string {
  const before = parseMapping(file, text);
  const { path, value, blockLevels = 0, after } = edit;
  if (value === undefined && valueAt(before, path) === undefined) return text;
  const made =
    value === undefined
      ? withoutEntry(text, prunedPath(before, path))
      : withEntry(text, { path, value, levels: blockLevels, after });
  return verified({ file, text, before }, made, edit);
}

/**
 * Makes an object the only item of a list. Keeps all other characters except indentation.
 * @throws the failures of `editYaml`
 */
export function wrapInList(file: string, text: string, path: AttrPath): string {
  return reshaped({ file, text, path }, withObjectInList(text, path), (value) => [value]);
}

/**
 * Moves an object into the entry `item` of a new object that begins with other entries. Keeps all other characters
 * except indentation.
 * @throws the failures of `editYaml`
 */
export function wrapInItem(file: string, text: string, path: AttrPath, head: JsonObject): string {
  return reshaped({ file, text, path }, withItem(text, path, head), (value) => ({ ...head, item: value }));
}

/**
 * Replaces an object whose only entry is `item` with the value of this entry. This reverses `wrapInItem` once the other
 * entries are removed.
 * @throws the failures of `editYaml`
 */
export function unwrapItem(file: string, text: string, path: AttrPath): string {
  return reshaped({ file, text, path }, withoutItem(text, path), (value) => valueAt(value, ["item"]) ?? null);
}

function reshaped(
  { file, text, path }: { readonly file: string; readonly text: string; readonly path: AttrPath },
  made: string | undefined,
  change: (value: JsonValue) => JsonValue,
): string {
  const before = parseMapping(file, text);
  const value = change(valueAt(before, path) ?? null);
  return verified({ file, text, before }, made, { path, value });
}

interface OldDocument {
  readonly file: string;
  readonly text: string;
  readonly before: JsonValue;
}

/**
 * Returns the edited text in the notation of the document.
 * @throws Failure `usage` if the edit does not have exactly the intended effect
 */
function verified(old: OldDocument, made: string | undefined, edit: YamlEdit): string {
  const written = made && withJsonNotation(old.text, made);
  if (written === undefined || !isSameOtherwise(old, written, edit))
    return refuse(`${edit.path.join(".")}: this entry can only be changed by hand`, BY_HAND);
  return written;
}

/** @throws Failure `usage` */
export function refuse(message: string, hint: string): never {
  throw new Failure("usage", message, { hint });
}

export const BY_HAND = "edit the mapping in an editor, then reload this page";

/** Whether the edit has the intended effect and no other: all other values and all comments are unchanged. */
function isSameOtherwise({ file, text, before }: OldDocument, made: string, { path, value }: YamlEdit): boolean {
  try {
    const after = parseMapping(file, made);
    const wanted = value === undefined ? removed(before, prunedPath(before, path)) : replaced(before, path, value);
    return canonicalJson(after) === canonicalJson(wanted) && hasComments(made, commentsIn(text));
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/**
 * Whether the text contains all wanted comments. The comment of a removed entry may begin with the name of the entry.
 */
function hasComments(text: string, wanted: readonly string[]): boolean {
  const found = [...commentsIn(text)];
  return wanted.every((comment) => {
    const at = found.findIndex((other) => other === comment || other.endsWith(`: ${comment}`));
    if (at >= 0) found.splice(at, 1);
    return at >= 0;
  });
}

function replaced(within: JsonValue, [part, ...rest]: AttrPath, value: JsonValue): JsonValue {
  if (part === undefined) return value;
  const inner = replaced(memberAt(within, part) ?? null, rest, value);
  if (typeof part === "number") {
    const items = isJsonArray(within) ? within : [];
    return part < items.length ? items.with(part, inner) : [...items, inner];
  }
  return { ...(isJsonObject(within) ? within : {}), [part]: inner };
}

function removed(within: JsonValue, [part, ...rest]: AttrPath): JsonValue {
  if (part === undefined) return within;
  if (rest.length > 0) return replaced(within, [part], removed(memberAt(within, part) ?? null, rest));
  if (isJsonArray(within)) return within.filter((_, at) => at !== part);
  return Object.fromEntries(Object.entries(isJsonObject(within) ? within : {}).filter(([name]) => name !== part));
}

/**
 * Returns the path of the outermost entry whose only content is the entry at the path. In an entry with `each` or
 * `when`, only the `item` counts as content.
 */
function prunedPath(within: JsonValue, path: AttrPath): AttrPath {
  const parents = path.map((_, at) => valueAt(within, path.slice(0, at)));
  let length = path.length;
  while (length > 2 && isOnly(parents[length - 1], path[length - 1])) length -= 1;
  return path.slice(0, length);
}

function isOnly(parent: JsonValue | undefined, part: AttrSegment | undefined): boolean {
  if (isJsonArray(parent)) return parent.length === 1;
  if (!isJsonObject(parent)) return false;
  const isItem = part === "item" && (parent["each"] !== undefined || parent["when"] !== undefined);
  return isItem || Object.keys(parent).length === 1;
}
