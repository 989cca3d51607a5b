import { type Account, readAccount } from "../platform/account.ts";
import type { TargetSettings } from "../run/connection.ts";
import { connectToRead, type ReadParts } from "../run/read-connection.ts";

export interface AccountOptions {
  readonly target: TargetSettings;
  /** The platform's own number of the account. */
  readonly number: string;
}

/** One account as the platform has it. Wants credentials. */
export async function account({ target, number }: AccountOptions, parts: ReadParts): Promise<Account> {
  const { client, close } = await connectToRead(target, "account-holder", parts);
  try {
    return await readAccount(client, number);
  } finally {
    await close();
  }
}
