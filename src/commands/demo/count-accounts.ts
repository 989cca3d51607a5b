import { counted } from "../../text/count.ts";

interface AccountCount {
  /** `244 of 244 accounts, each exactly once`, or the number of accounts found and of duplicates. */
  readonly text: string;
  readonly isRight: boolean;
}

/** Compares the business keys of the accounts on the platform with the number of accounts that were sent to it. */
export function countAccounts(keys: readonly string[], expected: number): AccountCount {
  const different = new Set(keys).size;
  const repeated = keys.length - different;
  const of = `${different} of ${counted(expected, "account")}`;
  if (repeated > 0) return { text: `${of}, and ${counted(repeated, "duplicate")}`, isRight: false };
  return { text: different === expected ? `${of}, each exactly once` : of, isRight: different === expected };
}
