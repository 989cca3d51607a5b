import { hash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../json/json-value.ts";

/** Of each hash here: sha256. */
export const HASH_BYTES = 32;

interface IdentityParts {
  /** Method and address at which the record is created: `POST api.example.com/v1/data-import/accounts`. */
  readonly endpoint: string;
  readonly supplier: string;
  /** The business key; its Unicode form does not matter. */
  readonly key: string;
}

/**
 * What a record is in every run: 32 bytes, sha256 of endpoint, supplier and key. What the contract calls its
 * operation does not matter. The parts stand in a JSON list, so that no two lists of parts read the same.
 */
export function recordIdentity({ key, ...parts }: IdentityParts): Uint8Array {
  return identitiesOf(parts)(key);
}

/** The same of many keys. */
export function identitiesOf({ endpoint, supplier }: Omit<IdentityParts, "key">): (key: string) => Uint8Array {
  const begin = canonicalJson([endpoint, supplier]).slice(0, -1);
  return (key) => sha256(`${begin},${canonicalJson(key.normalize("NFC"))}]`);
}

/** What a payload, and the parameters of its requests, hold: 32 bytes, the same exactly when the data is the same. */
export function contentHash(payload: JsonObject, parameters?: JsonObject): Uint8Array {
  return contentTextHash(contentText(payload, parameters));
}

/** What `contentHash` is made of. */
export function contentText(payload: JsonObject, parameters?: JsonObject): string {
  return canonicalJson(parameters === undefined ? payload : [payload, parameters]);
}

/** The `contentHash` of what has this `contentText`, which may be given as UTF-8. */
export function contentTextHash(text: string | Uint8Array): Uint8Array {
  return sha256(text);
}

/** By way of a binary string: twice as fast as asking `hash` for a Buffer. */
function sha256(text: string | Uint8Array): Uint8Array {
  const digest = hash("sha256", text, "binary");
  const bytes = new Uint8Array(digest.length);
  for (let index = 0; index < digest.length; index += 1) bytes[index] = digest.charCodeAt(index);
  return bytes;
}
