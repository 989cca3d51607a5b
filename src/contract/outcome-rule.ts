import type { AttrPath } from "../model/attr.ts";

/**
 * One entry of `x-migrate-outcomes`: a reply that matches `status` and, where given, `code` and `has`, means `outcome`.
 *
 * ```yaml
 * x-migrate-outcomes:
 *   - { status: 201, outcome: accepted, account: account_number }
 *   - { status: 400, code: account_already_imported, outcome: accepted, account: account_number }
 *   - { status: 400, code: import_supplier_migration_not_ongoing, outcome: blocked }
 *   - { status: 503, outcome: retry }
 * ```
 */
export interface OutcomeRule {
  /** A status (`201`), or a class of them (`2xx`). */
  readonly status: number | "2xx" | "4xx" | "5xx";
  /** Matches the reply's top code or the code of any of its errors. */
  readonly code?: string;
  /** A path that must be there and not be empty in the reply's body. */
  readonly has?: AttrPath;
  readonly outcome: "accepted" | "rejected" | "blocked" | "retry" | "ambiguous";
  /** Where the reply holds the account number. */
  readonly account?: AttrPath;
}

/**
 * One entry of `x-migrate-items`: a list in a 2xx reply whose items say, each for one item of the payload, what became
 * of it.
 *
 * ```yaml
 * x-migrate-items:
 *   - { at: results, attr: transactions, failed: [TRANSACTION_IMPORT_ERROR] }
 * ```
 */
export interface ItemRule {
  /** Where the list lies in the reply; empty: the reply is the list. */
  readonly at: AttrPath;
  /** The list of the payload that the items answer to, one for one; absent: found by its name. */
  readonly attr?: AttrPath;
  /** The member of an item that holds its status. */
  readonly status: string;
  /** The statuses of items that were not taken. */
  readonly failed: readonly string[];
}
