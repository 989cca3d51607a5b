import type { AttrPath } from "../../../json/attr.ts";
import { canonicalJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../json/json-value.ts";
import { Failure } from "../../../model/failure.ts";
import { editYaml } from "../yaml/edit-yaml.ts";

/** Converts options to an entry of the mapping. If the only option is one column, the entry is the column's name. */
export function asEntry(leaf: JsonObject): JsonValue {
  const { from, ...options } = leaf;
  return typeof from === "string" && Object.keys(options).length === 0 ? from : leaf;
}

/** A value of the mapping, and its path. */
interface Own<Value> {
  readonly at: AttrPath;
  readonly value: Value;
}

/** Returns the mapping with new options for an entry. Writes only the options that differ. */
export function withOptions(file: string, text: string, { at, value: old }: Own<JsonValue>, leaf: JsonObject): string {
  const entry = asEntry(leaf);
  if (canonicalJson(old) === canonicalJson(entry)) return text;
  if (!isJsonObject(old)) return editYaml(file, text, { path: at, value: entry });
  if (!isJsonObject(entry)) {
    try {
      return editYaml(file, text, { path: at, value: entry });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  return withMembers(file, text, { at, value: old }, leaf);
}

function withMembers(file: string, text: string, { at, value: before }: Own<JsonObject>, wanted: JsonObject): string {
  let made = text;
  for (const [name, value] of Object.entries(wanted)) {
    made = withMember(file, made, { at: [...at, name], value: before[name] }, value);
  }
  for (const name of Object.keys(before)) {
    if (wanted[name] === undefined) made = editYaml(file, made, { path: [...at, name] });
  }
  return made;
}

/** Returns the mapping with a new value for a member. Changes as little of the old value as possible. */
function withMember(
  file: string,
  text: string,
  { at, value: old }: Own<JsonValue | undefined>,
  wanted: JsonValue,
): string {
  if (old !== undefined && canonicalJson(old) === canonicalJson(wanted)) return text;
  if (isJsonObject(old) && isJsonObject(wanted) && Object.keys(wanted).length > 0) {
    const isKept = at.at(-1) !== "replace" || keepsOrder(old, wanted);
    if (isKept) return withMembers(file, text, { at, value: old }, wanted);
  }
  if (isJsonArray(old) && isJsonArray(wanted) && wanted.length > 0) {
    return withItems(file, text, { at, value: old }, wanted);
  }
  return editYaml(file, text, { path: at, value: wanted });
}

/**
 * Whether the members are in the desired order if new members are added at the end. The order of replacements matters.
 */
function keepsOrder(old: JsonObject, wanted: JsonObject): boolean {
  const kept = Object.keys(old).filter((name) => wanted[name] !== undefined);
  const added = Object.keys(wanted).filter((name) => old[name] === undefined);
  return [...kept, ...added].join("\n") === Object.keys(wanted).join("\n");
}

/**
 * Changes only the items between the shared beginning and the shared end of both lists. Replaces the entire list if
 * items must be inserted before the shared end.
 */
function withItems(
  file: string,
  text: string,
  { at, value: old }: Own<readonly JsonValue[]>,
  wanted: readonly JsonValue[],
): string {
  const first = sharedLength(old, wanted);
  const last = sharedLength(old.slice(first).toReversed(), wanted.slice(first).toReversed());
  const [before, after] = [old.length - last, wanted.length - last];
  if (after > before && last > 0) return editYaml(file, text, { path: at, value: wanted });
  let made = text;
  for (let index = first; index < after; index += 1) {
    const item = index < before ? old[index] : undefined;
    made = withMember(file, made, { at: [...at, index], value: item }, wanted[index] ?? null);
  }
  for (let index = before - 1; index >= after; index -= 1) made = editYaml(file, made, { path: [...at, index] });
  return made;
}

/** Returns the length of the common prefix of two lists. */
function sharedLength(one: readonly JsonValue[], other: readonly JsonValue[]): number {
  const at = one.findIndex((item, index) => {
    const wanted = other[index];
    return wanted === undefined || canonicalJson(item) !== canonicalJson(wanted);
  });
  return at < 0 ? one.length : at;
}
