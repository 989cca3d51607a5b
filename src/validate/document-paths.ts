import { type FieldType, type ListType, memberType, type ObjectType } from "../contract/types/field-type.ts";
import { childTypes, typesLeadingTo } from "../contract/types/type-tree.ts";
import { type AttrPath, formatAttr } from "../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import type { UnsafePathReason } from "../model/problem.ts";

/** A document path of a payload, as the platform would read it, and where it stands. */
export interface FoundDocument {
  readonly path: AttrPath;
  readonly value: string;
}

/** The document paths of a payload (API specification 2.5), in its own order; empty texts are none. */
export type FindDocuments = (payload: JsonObject) => readonly FoundDocument[];

/**
 * Compiles a request body's type into a function that finds the values at its document paths (`x-document-path: true`).
 * Undefined when the type has no such field. Of a union, every option is looked into that could be meant.
 */
export function compileDocumentPaths(body: FieldType): FindDocuments | undefined {
  const leading = typesLeadingTo(body, (type) => type.kind === "text" && type.documentPath === true);
  if (!leading.has(body)) return undefined;
  return (payload) => {
    const found = new Map<string, FoundDocument>();
    collect(body, payload, { leading, path: [], found });
    return [...found.values()];
  };
}

interface SearchState {
  readonly leading: ReadonlySet<FieldType>;
  readonly path: AttrPath;
  readonly found: Map<string, FoundDocument>;
}

function collect(type: FieldType, value: JsonValue | undefined, search: SearchState): void {
  if (value === undefined || !search.leading.has(type)) return;
  if (type.kind === "text") collectText(value, search);
  else if (type.kind === "object" && isJsonObject(value)) collectFields(type, value, search);
  else if (type.kind === "list" && isJsonArray(value)) collectItems(type, value, search);
  else if (type.kind === "union") for (const option of new Set(childTypes(type))) collect(option, value, search);
}

/** A number is taken as text, as the platform takes it. */
function collectText(value: JsonValue, { path, found }: SearchState): void {
  if (typeof value !== "string" && typeof value !== "number") return;
  if (value !== "") found.set(formatAttr(path), { path, value: String(value) });
}

function collectItems({ items }: ListType, value: readonly JsonValue[], search: SearchState): void {
  for (const [at, item] of value.entries()) collect(items, item, childState(search, at));
}

function collectFields(object: ObjectType, value: JsonObject, search: SearchState): void {
  for (const [name, field] of Object.entries(value)) {
    const type = memberType(object, name);
    if (type !== undefined) collect(type, field, childState(search, name));
  }
}

function childState(search: SearchState, segment: string | number): SearchState {
  return { ...search, path: [...search.path, segment] };
}

/** The longest key of an object in a store, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * Compiles the judgement of document paths (API specification 2.5): relative to the supplier's root location, and safe in
 * whatever store lies behind it. Gives the first reason against a path. `root`, where known, must not be repeated in
 * the path, and counts towards the length of the stored location.
 */
export function documentPathCheck(root: string | undefined): (path: string) => UnsafePathReason | undefined {
  const bare = rootWithoutSlashes(root);
  const rootBytes = bare === "" ? 0 : bytesOf(bare) + 1;
  return (path) => {
    if (path.length > MAX_KEY_BYTES || rootBytes + bytesOf(path) > MAX_KEY_BYTES) return "too_long";
    const reason = UNSAFE_PATTERNS.find(([, pattern]) => pattern.test(path))?.[0];
    if (reason !== undefined) return reason;
    if (path.normalize("NFC") !== path) return "not_normalised";
    if (PARENT_SEGMENT.test(path.normalize("NFKC"))) return "parent_segment";
    return bare !== "" && `${path}/`.startsWith(`${bare}/`) ? "repeats_root" : undefined;
  };
}

/** A root location without the slashes around it; empty where there is none. */
export function rootWithoutSlashes(root: string | undefined): string {
  return (root ?? "").replace(/^\/+/, "").replace(/\/+$/, "");
}

/**
 * Also where a query or a fragment would begin if the path were put into an address as it is, and in the compatibility
 * form of a path, in which full-width dots and their like are plain ones.
 */
const PARENT_SEGMENT = /(?:^|[/\\])\.\.?(?:[/\\?#]|$)/;

/**
 * In order of what helps most to hear first.
 * Encoded characters (`%2e`, `%252e`, `%c0%ae`): a path is taken literally by the store, but decoded on the way to it.
 * Control characters include line separators and the marks that turn the direction of text, which hide what is read.
 */
const UNSAFE_PATTERNS: readonly (readonly [UnsafePathReason, RegExp])[] = [
  ["control_character", /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u],
  ["absolute", /^(?:[/~]|\\\\)/],
  ["scheme", /^[a-z][a-z0-9+.-]*:/i],
  ["backslash", /\\/],
  ["encoded", /%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i],
  ["parent_segment", PARENT_SEGMENT],
  ["empty_segment", /\/\/|\/$/],
  ["trailing_dot_or_space", /[.\s](?:\/|$)|^\s/u],
];

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
