import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../../../json/json-value.ts";

export interface Replacement {
  /** Whether `from` is a regular expression. */
  readonly isPattern: boolean;
  readonly from: string;
  readonly to: string;
  /** The item of the mapping from which the replacement was read; absent if the replacement is new or changed. */
  readonly written?: JsonValue;
}

/** Returns the replacements of the option `replace`, in order; undefined if the option has an unsupported form. */
export function readReplacements(option: JsonValue | undefined): readonly Replacement[] | undefined {
  if (option === undefined) return [];
  const found = isJsonArray(option)
    ? option.map(readItem)
    : isJsonObject(option) && option["from"] === undefined && option["pattern"] === undefined
      ? Object.entries(option).map((pair) => readItem(pair))
      : [readItem(option)];
  return found.includes(undefined) ? undefined : found.filter((one) => one !== undefined);
}

function readItem(item: JsonValue): Replacement | undefined {
  const { from, pattern, to } = isJsonArray(item) && item.length === 2 ? { from: item[0], to: item[1] } : asPair(item);
  const isPattern = pattern !== undefined;
  const text = pattern ?? from;
  if (typeof text !== "string" || typeof to !== "string") return undefined;
  return { isPattern, from: text, to, written: item };
}

function asPair(item: JsonValue): { readonly from?: JsonValue; readonly pattern?: JsonValue; readonly to?: JsonValue } {
  return isJsonObject(item) ? item : {};
}

/**
 * Returns the option `replace`; undefined if there are no replacements. A list stays a list and keeps its unchanged
 * items. Otherwise, returns an object if it can represent all replacements in their order. If not, returns a list, or a
 * single item.
 */
export function writeReplacements(rows: readonly Replacement[], old: JsonValue | undefined): JsonValue | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  if (old !== undefined && isJsonArray(old)) return rows.map((row) => row.written ?? writeItem(row));
  if (rows.every(canBePair) && new Set(rows.map(({ from }) => from)).size === rows.length) {
    const pairs: JsonObject = Object.fromEntries(rows.map(({ from, to }) => [from, to]));
    if (Object.keys(pairs).every((from, at) => rows[at]?.from === from)) return pairs;
  }
  return rows.length === 1 ? writeItem(first) : rows.map(writeItem);
}

function canBePair({ isPattern, from }: Replacement): boolean {
  return !isPattern && from !== "from" && from !== "pattern";
}

function writeItem({ isPattern, from, to }: Replacement): JsonObject {
  return isPattern ? { pattern: from, to } : { from, to };
}
