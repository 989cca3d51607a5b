import { canonicalJson, type JsonObject } from "../../json/json-value.ts";
import { namesAccount } from "../reply/named-record.ts";
import { type LookupResult, unknown } from "./lookup-result.ts";

interface NumberedRecord {
  readonly payload: JsonObject;
  /** The account number in an earlier reply about the record. */
  readonly account?: string | undefined;
}

/**
 * Whether the platform created the account for this record. If the payload names the account, the record adds data to
 * an existing account. Other records may add data to the same account.
 */
export function isNewAccount({ payload }: NumberedRecord, account: string): boolean {
  return !namesAccount({ json: Buffer.from(canonicalJson(payload)) }, account);
}

/**
 * Returns the results with conflicting account numbers replaced by `unknown`: several records have the same new account
 * number, or an earlier reply about the record had another number.
 */
export function markConflictingAccounts(
  records: readonly NumberedRecord[],
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
    const earlier = records[index]?.account;
    if (account === undefined) return lookup;
    if (earlier !== undefined && earlier !== account) return unknown(otherAccount(account, earlier));
    return (counts.get(account) ?? 0) > 1 ? SHARED_ACCOUNT : lookup;
  });
}

const SHARED_ACCOUNT = unknown("the platform returned the same account number for several records");

function otherAccount(account: string, earlier: string): string {
  return `the platform returns the account number ${account}, but an earlier reply had ${earlier}: it may have two accounts`;
}
