import { Failure } from "../model/failure.ts";
import type { SupplierStatus } from "../model/supplier-status.ts";

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
