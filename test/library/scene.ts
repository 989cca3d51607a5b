import { onTestFinished } from "vitest";
import { type PushOptions, type RunningSandbox, type SandboxOptions, startSandbox } from "energy-migrate";
import { goodAccounts, writeExtract } from "../e2e/push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A platform of this process, closed when the test ends. */
export async function platform(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** What a push of so many good accounts to the platform is asked: in a folder of its own, with a ledger of its own. */
export function pushOf(count: number, { contract, target, credentials, supplier }: RunningSandbox): PushOptions {
  const folder = temporaryFolder();
  writeExtract(folder, { accounts: goodAccounts(count) });
  return { folder, contract, mapping: "mapping.yaml", supplier, target, credentials };
}
