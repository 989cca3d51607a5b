import type { Operation } from "../../src/contract/operations/operation.ts";
import { endpointOf } from "../../src/job/endpoint.ts";
import { contentHash, recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import type { JsonObject } from "../../src/json/json-value.ts";

export interface SimulatedRecord {
  readonly record: number;
  readonly key: string;
  readonly isBad: boolean;
  /** Version of the content; default: 1. */
  readonly version?: number;
}

/** The destination of the records. */
export const TARGET = "platform.example/v1/";
export const SUPPLIER = "ACME";

export function identityOf(key: string, operation: Operation): Uint8Array {
  return recordIdentity({ endpoint: endpointOf(`https://${TARGET}`, operation), supplier: SUPPLIER, key });
}

const NONE: ReadonlySet<string> = new Set();

/** @param corrected keys of records whose data was corrected */
export function payloadOf(one: SimulatedRecord, corrected: ReadonlySet<string> = NONE): JsonObject {
  const { key, isBad } = one;
  const billing_name = contentOf({ ...one, isBad: isBad && !corrected.has(key) });
  return { external_account_number: key, import_supplier: SUPPLIER, billing_name };
}

/** Returns the content of a record, as an account on the platform shows it. */
export function contentOf({ key, isBad, version = 1 }: SimulatedRecord): string {
  if (isBad) return "bad";
  return version === 1 ? `good ${key}` : `good ${key} version ${version}`;
}

/** Returns the hashes of the identity and the content of a record. */
export function marksOf(
  one: SimulatedRecord,
  operation: Operation,
  corrected: ReadonlySet<string> = NONE,
): { readonly identity: Uint8Array; readonly content: Uint8Array } {
  return { identity: identityOf(one.key, operation), content: contentHash(payloadOf(one, corrected)) };
}
