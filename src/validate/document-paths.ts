import { type FieldType, memberType } from "../contract/types/field-type.ts";
import { childTypes, typesLeadingTo } from "../contract/types/type-tree.ts";
import { type AttrPath, formatAttr } from "../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import type { UnsafePathReason } from "../model/problem.ts";

/** A document path in a payload, as the platform would read it, and its location. */
export interface FoundDocument {
  readonly path: AttrPath;
  readonly value: string;
}

/**
 * Returns the document paths of a payload (API specification 2.5), in the order of the payload. Ignores empty strings.
 */
export type FindDocuments = (payload: JsonObject) => readonly FoundDocument[];

/**
 * Compiles a request body's type into a function that finds the values at its document paths (`x-document-path: true`).
 * Returns undefined if the type has no such field. Searches every option of a union.
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

function collect(type: FieldType, value: JsonValue, search: SearchState): void {
  if (!search.leading.has(type)) return;
  if (type.kind === "text") collectText(value, search);
  else if (type.kind === "object" && isJsonObject(value)) {
    for (const [name, field] of Object.entries(value)) collectBelow(memberType(type, name), name, field, search);
  } else if (type.kind === "list" && isJsonArray(value)) {
    for (const [at, item] of value.entries()) collectBelow(type.items, at, item, search);
  } else if (type.kind === "union") for (const option of new Set(childTypes(type))) collect(option, value, search);
}

/** Collects non-empty text. A number is treated as text, as on the platform. */
function collectText(value: JsonValue, { path, found }: SearchState): void {
  if (typeof value !== "string" && typeof value !== "number") return;
  if (value !== "") found.set(formatAttr(path), { path, value: String(value) });
}

function collectBelow(
  type: FieldType | undefined,
  segment: string | number,
  value: JsonValue,
  search: SearchState,
): void {
  if (type !== undefined) collect(type, value, { ...search, path: [...search.path, segment] });
}

/** Maximum length of an object key in a store, in bytes of UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * Compiles the check of document paths (API specification 2.5): a path must be relative to the supplier's root location
 * and safe in any store. Returns the first reason why a path is not allowed. `root`, if known, must not be repeated in
 * the path, and counts towards the length of the stored location.
 */
export function documentPathCheck(root: string | undefined): (path: string) => UnsafePathReason | undefined {
  const bare = rootWithoutSlashes(root);
  const rootBytes = bare === "" ? 0 : Buffer.byteLength(bare) + 1;
  return (path) => {
    if (path.length > MAX_KEY_BYTES || rootBytes + Buffer.byteLength(path) > MAX_KEY_BYTES) return "too_long";
    const reason = UNSAFE_PATTERNS.find(([, pattern]) => pattern.test(path))?.[0];
    if (reason !== undefined) return reason;
    if (path.normalize("NFC") !== path) return "not_normalised";
    if (PARENT_SEGMENT.test(path.normalize("NFKC"))) return "parent_segment";
    return bare !== "" && `${path}/`.startsWith(`${bare}/`) ? "repeats_root" : undefined;
  };
}

/** Returns a root location without surrounding slashes, or an empty string if there is no root location. */
export function rootWithoutSlashes(root: string | undefined): string {
  return (root ?? "").replace(/^\/+/, "").replace(/\/+$/, "");
}

/**
 * A `.` or `..` segment. It may end before `?` or `#`, which would start a query or fragment if the path were inserted
 * into a URL unescaped. The pattern is also applied to the compatibility form of a path (NFKC), because NFKC turns
 * full-width dots into plain dots.
 */
const PARENT_SEGMENT = /(?:^|[/\\])\.\.?(?:[/\\?#]|$)/;

/**
 * The most helpful reason comes first. Encoded characters (`%2e`, `%252e`, `%c0%ae`) are unsafe, because a program
 * between `migrate` and the store may decode them. Control characters include line separators and bidirectional marks,
 * which hide the actual text.
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
