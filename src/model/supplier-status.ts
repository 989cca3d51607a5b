/** The states of a migration from an import supplier (API specification 3). Only an ongoing migration accepts data. */
export const SUPPLIER_STATUSES = ["Ongoing", "Paused", "Complete"] as const;
export type SupplierStatus = (typeof SUPPLIER_STATUSES)[number];

/** The platform's code for an import supplier that is Paused or Complete (from its published validators). */
export const SUPPLIER_CLOSED = "import_supplier_migration_not_ongoing";
