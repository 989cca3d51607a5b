/**
 * Whether a record names its account itself. Such a record adds to an existing account, as other records may. `json`:
 * its payload in UTF-8.
 */
export function namesAccount({ json }: { readonly json: Buffer }, account: string): boolean {
  // Searches for the bare number first, because a search that starts with a quotation mark would stop at each one.
  return (!PLAIN.test(account) || json.includes(account)) && json.includes(JSON.stringify(account));
}

/** Text that JSON does not escape. */
const PLAIN = /^[\w -]*$/;
