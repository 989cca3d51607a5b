import { canonicalJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { textHash } from "../../text/text-hash.ts";
import type { SourceDocument } from "./yaml-document.ts";
import type { Findings } from "../contract-findings.ts";
import type { OverlayMatches } from "./overlay.ts";

const EXTENSION = "x-migrate-written-for";

/**
 * Warns about an overlay that was written for a different document (`x-migrate-written-for` at its root: a fingerprint
 * of the document and a readable name). The overlay may still be correct.
 * @param base the document before any overlay
 */
export function checkWrittenFor(
  overlay: SourceDocument,
  { base, applied }: { readonly base: JsonObject; readonly applied: OverlayMatches },
  findings: Findings,
): void {
  const declared = isJsonObject(overlay.value) ? overlay.value[EXTENSION] : undefined;
  if (declared === undefined) return;
  const location = { place: { file: overlay.file, line: overlay.lineOf([EXTENSION]) }, pointer: `/${EXTENSION}` };
  const { mark, document } = isJsonObject(declared) ? declared : {};
  if (typeof mark !== "string" || typeof document !== "string") {
    const members = '"document" (the readable name of the document) and "mark" (its fingerprint)';
    findings.addAt(
      "error",
      "bad-overlay",
      `${EXTENSION} must have ${members}, each with a value in quotation marks`,
      location,
    );
    return;
  }
  const found = documentFingerprint(base);
  if (mark === found) return;
  const { targets, missing } = applied;
  const message =
    `the overlay was written for another document, ${document}; ` +
    `${missing} of its ${targets} targets cannot be found in this document, which has the mark "${found}"`;
  findings.addAt("warning", WRITTEN_FOR_ANOTHER, message, location);
}

export const WRITTEN_FOR_ANOTHER = "overlay-for-another";

/**
 * Returns a fingerprint of a document's schemas and operations, without the parts that change often and do not affect
 * overlays: descriptions, examples, and choices that operators generate from the data of their instance. Includes the
 * text of validators, because rules quote it.
 */
function documentFingerprint({ paths = {}, components = {} }: JsonObject): string {
  const text = canonicalJson({ paths: withoutDescriptions(paths), components: withoutDescriptions(components) });
  return textHash(text, 0).toString(16).padStart(FINGERPRINT_DIGITS, "0");
}

const FINGERPRINT_DIGITS = 13;

const DESCRIPTIVE_KEYS: ReadonlySet<string> = new Set([
  "description",
  "summary",
  "title",
  "example",
  "examples",
  "enum",
  "x-enum-descriptions",
  "x-spec-enum-id",
]);

function withoutDescriptions(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(withoutDescriptions);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): readonly [string, JsonValue][] => {
      if (DESCRIPTIVE_KEYS.has(name)) return [];
      if (name === "x-validators") return [[name, member]];
      return [[name, NAME_MAPS.has(name) ? membersWithoutDescriptions(member) : withoutDescriptions(member)]];
    }),
  );
}

/** The members of these objects are fields or schemas, even if they are called `description` or `title`. */
const NAME_MAPS: ReadonlySet<string> = new Set(["properties", "schemas"]);

function membersWithoutDescriptions(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutDescriptions(member)]));
}
