import { isJsonArray, isJsonObject, type JsonValue } from "./json-value.ts";
import { asciiHash, HASH_RANGE, mixHash, textHash, TWO_TO_THE_32 } from "../text/text-hash.ts";

/**
 * Returns a function that hashes a payload to 52 bits. Equal data has the same hash, regardless of the order of object
 * members. Hashing takes a fifth of the time that `contentHash` takes. The hash is suitable for distinguishing the few
 * records of one key within one run. It is not suitable for stored data, and it does not withstand deliberate
 * collisions.
 */
export function createFastContentHash(): (value: JsonValue) => number {
  const names = new Map<string, number>();

  /** Caches the hashes of field names, because payloads have few field names and every record repeats them. */
  function knownNameContent(name: string): number {
    const known = names.get(name);
    if (known !== undefined) return known;
    const hashed = nameContent(name);
    if (names.size < MAX_CACHED_NAMES) names.set(name, hashed);
    return hashed;
  }

  function hashOf(value: JsonValue): number {
    if (typeof value === "string") return textHash(value, TEXT);
    if (isJsonArray(value)) return listHash(value);
    if (!isJsonObject(value)) return textHash(String(value), OTHER_SCALAR);
    let members = EMPTY_OBJECT;
    for (const name in value) members = withMember(members, knownNameContent(name), hashOf(value[name] ?? null));
    return members;
  }

  function listHash(list: readonly JsonValue[]): number {
    let hashed = EMPTY_LIST;
    for (const item of list) hashed = withItem(hashed, hashOf(item));
    return hashed;
  }

  return hashOf;
}

const MAX_CACHED_NAMES = 10_000;

/** A seed for each kind of value, so that `"1"`, `1` and `["1"]` have different hashes. */
const [TEXT, NAME, OTHER_SCALAR] = [0x2f0b4c47, 0x1c6ef372, 0x3a54ff53];

/** The hash of an empty list. Items are added in order. */
export const EMPTY_LIST = 0x510e527f;
/** The hash of an empty object. Members are added in any order. */
export const EMPTY_OBJECT = 0x1f83d9ab;

/** Returns the hash of the text in these bytes; -1 if the bytes are not pure ASCII. */
export function asciiTextContent(bytes: Uint8Array, from: number, to: number): number {
  return asciiHash(bytes, from, to, TEXT);
}

/** Returns the hash of a number, `true`, `false` or `null` with this ASCII text. */
export function asciiScalarContent(bytes: Uint8Array, from: number, to: number): number {
  return asciiHash(bytes, from, to, OTHER_SCALAR);
}

export function nameContent(name: string): number {
  return textHash(name, NAME);
}

/** Adds a member to the hash of an object, regardless of the order of the members. */
export function withMember(members: number, name: number, value: number): number {
  const both = members + withItem(name, value);
  return both < HASH_RANGE ? both : both - HASH_RANGE;
}

/** Adds an item to the hash of a list, or combines two other hashes in this order. */
export function withItem(items: number, item: number): number {
  return mixHash(
    Math.imul(items | 0, 0x9e3779b1) ^ item,
    Math.imul(items / TWO_TO_THE_32, 0x5f356495) ^ (item / TWO_TO_THE_32),
  );
}
