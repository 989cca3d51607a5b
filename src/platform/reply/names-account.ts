/**
 * Whether a record's payload contains the account number. Such a record adds data to an existing account, so several
 * records may have the same account number. `json`: the payload in UTF-8.
 */
export function namesAccount({ json }: { readonly json: Buffer }, account: string): boolean {
  // Searches for the number without quotation marks first. This is faster, because quotation marks are frequent.
  return (!PLAIN.test(account) || json.includes(account)) && json.includes(JSON.stringify(account));
}

/** Text that JSON does not escape. */
const PLAIN = /^[\w -]*$/;
