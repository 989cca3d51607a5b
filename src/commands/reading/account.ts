import { readAccount } from "../../platform/reading/read-account.ts";
import { connectToRead, type ReadDependencies } from "../../job/target-connection.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import type { Account } from "../../platform/reading/received-records.ts";

export interface AccountOptions {
  readonly target: TargetSettings;
  /** The platform's account number. */
  readonly number: string;
}

/** Returns one account as stored on the platform. Requires credentials. */
export async function account({ target, number }: AccountOptions, dependencies: ReadDependencies): Promise<Account> {
  const { client, close } = await connectToRead(target, "account-holder", dependencies);
  try {
    return await readAccount(client, number);
  } finally {
    await close();
  }
}
