import { hash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../json/json-value.ts";

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
export function recordIdentity(parts: IdentityParts): Uint8Array {
  return sha256(canonicalJson([parts.endpoint, parts.supplier, parts.key.normalize("NFC")]));
}

/** What a payload, and the parameters of its requests, hold: 32 bytes, the same exactly when the data is the same. */
export function contentHash(payload: JsonObject, parameters?: JsonObject): Uint8Array {
  return sha256(canonicalJson(parameters === undefined ? payload : [payload, parameters]));
}

/** By way of a binary string: twice as fast as asking `hash` for a Buffer. */
function sha256(text: string): Uint8Array {
  const digest = hash("sha256", text, "binary");
  const bytes = new Uint8Array(digest.length);
  for (let index = 0; index < digest.length; index += 1) bytes[index] = digest.charCodeAt(index);
  return bytes;
}
