/** The states of a migration from an import supplier (API specification 3). Only an ongoing migration accepts data. */
export const SUPPLIER_STATUSES = ["Ongoing", "Paused", "Complete"] as const;
export type SupplierStatus = (typeof SUPPLIER_STATUSES)[number];
