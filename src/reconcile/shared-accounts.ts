import { canonicalJson, type JsonObject } from "../json/json-value.ts";
import type { LookupResult } from "../platform/reading/lookup-result.ts";
import { namesAccount } from "../platform/reply/names-account.ts";

interface FoundRecord {
  readonly record: number;
  readonly payload: JsonObject;
}

/**
 * Whether the account was created for the record. A record that names the account itself adds to an existing account,
 * as other records may.
 */
export function isNewAccount({ payload }: FoundRecord, account: string): boolean {
  return !namesAccount({ json: Buffer.from(canonicalJson(payload)) }, account);
}

/** The results, with all records that share an account number set to unknown. */
export function withoutSharedAccounts(
  records: readonly FoundRecord[],
  lookups: readonly LookupResult[],
): readonly LookupResult[] {
  const counts = new Map<string, number>();
  const accounts = records.map((record, index) => {
    const lookup = lookups[index];
    const account = lookup !== undefined && "account" in lookup ? lookup.account : undefined;
    return account !== undefined && isNewAccount(record, account) ? account : undefined;
  });
  for (const account of accounts) if (account !== undefined) counts.set(account, (counts.get(account) ?? 0) + 1);
  return lookups.map((lookup, index) => {
    const account = accounts[index];
    const isShared = account !== undefined && (counts.get(account) ?? 0) > 1;
    return isShared
      ? { kind: "unknown", reason: "the platform returned the same account number for several records" }
      : lookup;
  });
}
