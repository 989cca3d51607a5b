import type { Operation } from "../../contract/operations/operation.ts";
import { type JsonObject, valueAt } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { SupplierStatus } from "../../model/supplier-status.ts";

/** What the platform's operator has set up for an import supplier (specification 2.4, 2.5); the API does not tell. */
export interface SupplierSettings {
  /** Where its documents lie in the bucket; the paths in payloads are relative to it. */
  readonly rootLocation?: string | undefined;
  /** The storage bucket of the platform. */
  readonly bucket?: string | undefined;
  readonly expectedStatus?: SupplierStatus | undefined;
}

/** An import supplier, as far as it is known here. */
export interface Supplier extends SupplierSettings {
  readonly code: string | undefined;
}

/** The code of the import supplier that a payload names. */
export function supplierIn(payload: JsonObject, { supplier }: Pick<Operation, "supplier">): string | undefined {
  const code = supplier === undefined ? undefined : valueAt(payload, supplier);
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}

/** Where import suppliers keep their documents (specification 2.5): it differs from one to the other. */
export interface DocumentRoots {
  /** The one that is meant where a payload names none. */
  readonly supplier?: string | undefined;
  /** Root locations by the suppliers' codes. */
  readonly documentRoots?: Readonly<Record<string, string>> | undefined;
  /** Of suppliers that have none there. */
  readonly documentRoot?: string | undefined;
}

/** The root location under which the document paths of a payload lie: that of the import supplier that it names. */
export function documentRootOf(
  payload: JsonObject,
  operation: Pick<Operation, "supplier">,
  { supplier, documentRoots, documentRoot }: DocumentRoots,
): string | undefined {
  const code = supplierIn(payload, operation) ?? supplier;
  return (code === undefined ? undefined : new Map(Object.entries(documentRoots ?? {})).get(code)) ?? documentRoot;
}

/**
 * To be asked before anything is sent for the supplier.
 * @throws Failure `supplier_closed` when the configuration itself says that it takes no accounts
 */
export function requireOngoing({ code, expectedStatus }: Supplier): void {
  if (expectedStatus === undefined || expectedStatus === "Ongoing") return;
  throw new Failure("supplier_closed", `the configuration expects supplier ${code ?? ""} to be ${expectedStatus}`, {
    hint: "once the platform's operator has opened it, set its `expectedStatus` to Ongoing",
  });
}
