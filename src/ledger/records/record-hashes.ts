import { hash } from "node:crypto";
import { canonicalKey } from "../../text/canonical-key.ts";
import type { Destination } from "../migration-state.ts";
import { canonicalJson, type JsonObject } from "../../json/json-value.ts";

/** The number of bytes in a SHA-256 hash. */
export const HASH_BYTES = 32;

interface IdentityParts extends Destination {
  /** The business key, in any Unicode form. */
  readonly key: string;
}

/**
 * Returns a record's identity, which is the same in every run: a SHA-256 hash (32 bytes) of endpoint, supplier and key.
 * The identity does not depend on the operation's name in the contract. The hashed text is a JSON list, so that
 * different parts never produce the same text.
 */
export function recordIdentity({ key, ...parts }: IdentityParts): Uint8Array {
  return identitiesOf(parts)(key);
}

/** Returns a hash in hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** A path parameter without a value in an endpoint: `{}` in URL encoding. */
export const OPEN_PARAMETER = "%7B%7D";

/** Returns `recordIdentity` as a function of the key, for many keys of one endpoint and supplier. */
export function identitiesOf({ endpoint, supplier }: Destination): (key: string) => Uint8Array {
  const begin = canonicalJson([endpoint, supplier]).slice(0, -1);
  return (key) => sha256(`${begin},${canonicalJson(canonicalKey(key))}]`);
}

/** Returns the hash of a payload and its request parameters: 32 bytes, equal if and only if the data is equal. */
export function contentHash(payload: JsonObject, parameters?: JsonObject): Uint8Array {
  return contentTextHash(contentText(payload, parameters));
}

/** Returns the text that `contentHash` hashes. */
export function contentText(payload: JsonObject, parameters?: JsonObject): string {
  return canonicalJson(parameters === undefined ? payload : [payload, parameters]);
}

/** Returns the `contentHash` for a `contentText`, which may be given as UTF-8 bytes. */
export function contentTextHash(text: string | Uint8Array): Uint8Array {
  return sha256(text);
}

/** Gets the hash as a binary string and converts it, which is twice as fast as getting a Buffer from `hash`. */
function sha256(text: string | Uint8Array): Uint8Array {
  const digest = hash("sha256", text, "binary");
  const bytes = new Uint8Array(digest.length);
  for (let index = 0; index < digest.length; index += 1) bytes[index] = digest.charCodeAt(index);
  return bytes;
}
