import { onTestFinished } from "vitest";
import { type PushOptions, type RunningSandbox, type SandboxOptions, startSandbox } from "energy-migrate";
import { goodAccounts, writeExtract } from "../e2e/push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Starts a platform in this process. The platform is closed when the test ends. */
export async function platform(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Returns the options for a push of `count` valid accounts to the platform, in a new folder with a new ledger. */
export function pushOf(count: number, { contract, target, credentials, supplier }: RunningSandbox): PushOptions {
  const folder = temporaryFolder();
  writeExtract(folder, { accounts: goodAccounts(count) });
  return { folder, contract, mapping: "mapping.yaml", supplier, target, credentials };
}
