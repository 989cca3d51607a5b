import type { Operation } from "../../src/contract/operations/operation.ts";
import { endpointOf } from "../../src/job/endpoint.ts";
import { contentHash, recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import type { JsonObject } from "../../src/json/json-value.ts";

export interface SimulatedRecord {
  readonly record: number;
  readonly key: string;
  readonly isBad: boolean;
}

/** The destination of the records. */
export const TARGET = "platform.example/v1/";
export const SUPPLIER = "ACME";

export function identityOf(key: string, operation: Operation): Uint8Array {
  return recordIdentity({ endpoint: endpointOf(`https://${TARGET}`, operation), supplier: SUPPLIER, key });
}

/** @param corrected keys of records whose data was corrected */
export function payloadOf({ key, isBad }: SimulatedRecord, corrected: ReadonlySet<string>): JsonObject {
  const billing_name = isBad && !corrected.has(key) ? "bad" : `good ${key}`;
  return { external_account_number: key, import_supplier: SUPPLIER, billing_name };
}

/** Returns the hashes of the identity and the content of a record. */
export function marksOf(
  one: SimulatedRecord,
  operation: Operation,
  corrected: ReadonlySet<string>,
): { readonly identity: Uint8Array; readonly content: Uint8Array } {
  return { identity: identityOf(one.key, operation), content: contentHash(payloadOf(one, corrected)) };
}
