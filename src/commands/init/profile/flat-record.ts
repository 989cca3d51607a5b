import { isJsonArray, isJsonObject, type JsonValue } from "../../../json/json-value.ts";

/** Only the first items of a list in a JSON record become columns. */
const MAX_ITEMS = 3;
const MAX_DEPTH = 8;

/** Yields the scalars of a JSON record with their paths, as written in a mapping: `contact.phones.0`. */
export function* flatRecord(value: JsonValue, path = "", depth = 0): Generator<readonly [path: string, text: string]> {
  if (depth > MAX_DEPTH || value === null) return;
  if (isJsonArray(value)) {
    for (const [index, item] of value.slice(0, MAX_ITEMS).entries())
      yield* flatRecord(item, below(path, index), depth + 1);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* flatRecord(member, below(path, name), depth + 1);
  } else if (path !== "") yield [path, String(value)];
}

function below(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}
