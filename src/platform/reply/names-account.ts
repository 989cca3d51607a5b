/**
 * A record that names its account itself adds something to it, as others may.
 * `json`: its payload in UTF-8.
 */
export function namesAccount({ json }: { readonly json: Buffer }, account: string): boolean {
  // Looking for a quotation mark would stop at every one of them.
  return (!PLAIN.test(account) || json.includes(account)) && json.includes(JSON.stringify(account));
}

/** Text that JSON writes as it is. */
const PLAIN = /^[\w -]*$/;
