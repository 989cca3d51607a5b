import { isJsonArray, type JsonValue } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { formatPlace } from "../../model/place.ts";
import { placeOf, type Row } from "../../model/record.ts";
import { formatCount } from "../../text/count.ts";

/** Maximum number of characters in the result of `replace` or `join`. */
const MAX_CELL_CHARACTERS: number = 2 ** 20;

/** Maximum number of characters in all values of one payload. */
const MAX_PAYLOAD_CHARACTERS: number = 16 * 2 ** 20;

/** Thrown while a payload is built; `atRow` converts it to a Failure. */
class TooLarge extends Error {}

/** @throws TooLarge for a string longer than `MAX_CELL_CHARACTERS` */
export function checkCellLength(characters: number, option: "replace" | "join"): void {
  if (characters <= MAX_CELL_CHARACTERS) return;
  throw new TooLarge(`\`${option}\` produces more than ${formatCount(MAX_CELL_CHARACTERS)} characters`);
}

/** @throws TooLarge for more than `MAX_PAYLOAD_CHARACTERS` */
export function checkPayloadLength(characters: number): void {
  if (characters <= MAX_PAYLOAD_CHARACTERS) return;
  throw new TooLarge(`the payload has more than ${formatCount(MAX_PAYLOAD_CHARACTERS)} characters`);
}

/** @throws Failure `source_too_large` with the row's place if `build` throws `TooLarge` */
export function atRow<T>(row: Row, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    const place = placeOf(row);
    throw new Failure("source_too_large", `${formatPlace(place)}: ${error.message}`, {
      hint: "shorten the text that `replace` or `join` in the mapping produces, or correct the row",
      place,
      cause: error,
    });
  }
}

/**
 * Returns the size of a value: the number of characters in its strings and names, plus one for each other scalar,
 * object, list, member and item.
 */
export function charactersOf(value: JsonValue): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const known = SIZES.get(value);
  if (known !== undefined) return known;
  const size = isJsonArray(value)
    ? value.reduce<number>((sum, item) => sum + charactersOf(item) + 1, 1)
    : Object.entries(value).reduce((sum, [name, member]) => sum + name.length + charactersOf(member) + 1, 1);
  SIZES.set(value, size);
  return size;
}

/** Caches sizes, because a mapping may use one object of a source in many places. */
const SIZES = new WeakMap<object, number>();
