import type { RequestForm } from "../../contract/operations/operation.ts";
import { type JsonObject, valueAt } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { SupplierStatus } from "../../model/supplier-status.ts";

/** The operator's settings for an import supplier (specification 2.4, 2.5). The API does not expose them. */
export interface SupplierSettings {
  /** Location of the supplier's documents in the bucket. The paths in payloads are relative to this location. */
  readonly rootLocation?: string | undefined;
  readonly bucket?: string | undefined;
  readonly expectedStatus?: SupplierStatus | undefined;
}

/** An import supplier, with its local settings. */
export interface Supplier extends SupplierSettings {
  readonly code: string | undefined;
  /** Other suppliers with another bucket, and their buckets. */
  readonly otherBuckets?: ReadonlyMap<string, string> | undefined;
}

/** Returns the buckets of the suppliers that have another bucket, by supplier code; undefined if there are none. */
export function bucketsExcept(
  own: string | undefined,
  suppliers: ReadonlyMap<string, SupplierSettings>,
): ReadonlyMap<string, string> | undefined {
  const others = [...suppliers].flatMap(([code, { bucket = own }]) =>
    bucket === undefined || bucket === own ? [] : [[code, bucket] as const],
  );
  return others.length === 0 ? undefined : new Map(others);
}

/** Returns the code of the import supplier that a payload names. */
export function supplierIn(payload: JsonObject, { supplier }: RequestForm): string | undefined {
  const code = supplier === undefined ? undefined : valueAt(payload, supplier);
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}

/** The document locations of import suppliers (specification 2.5). Each supplier has its own location. */
export interface DocumentRoots {
  /** The supplier for payloads that name no supplier. */
  readonly supplier?: string | undefined;
  /** Root locations by supplier code. */
  readonly documentRoots?: Readonly<Record<string, string>> | undefined;
  /** Root location for all other suppliers, and for payloads without a supplier. */
  readonly documentRoot?: string | undefined;
}

/**
 * Returns the root location of a payload's document paths. The location depends on the supplier that the payload names.
 */
export function documentRootOf(
  payload: JsonObject,
  operation: RequestForm,
  { supplier, documentRoots, documentRoot }: DocumentRoots,
): string | undefined {
  const code = supplierIn(payload, operation) ?? supplier;
  return (code === undefined ? undefined : new Map(Object.entries(documentRoots ?? {})).get(code)) ?? documentRoot;
}

/**
 * Refuses a supplier that accepts no accounts. Call this before anything is sent for the supplier.
 * @throws Failure `supplier_closed` if the configuration states that the supplier accepts no accounts
 */
export function requireOngoing({ code, expectedStatus }: Supplier): void {
  if (expectedStatus === undefined || expectedStatus === "Ongoing") return;
  throw new Failure("supplier_closed", `the configuration expects supplier ${code ?? ""} to be ${expectedStatus}`, {
    hint: "after the platform's operator has opened the supplier, set its `expectedStatus` to Ongoing",
  });
}
