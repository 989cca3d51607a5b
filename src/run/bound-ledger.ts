import type { Ledger, Run } from "../ledger/ledger.ts";
import type { Status } from "../model/outcome.ts";
import { Failure } from "../model/failure.ts";

/** What a run sends to. */
export interface Recipient {
  readonly host: string;
  readonly supplier: string;
}

/**
 * Holds a ledger to the host and the import supplier that its first records went to. What it knows of a record is true
 * there alone: with a slip of `--target` everything would be sent anew, to another platform.
 * @throws Failure `wrong_target`
 */
export async function refuseOtherRecipient(ledger: Ledger, path: string, { host, supplier }: Recipient): Promise<void> {
  const others = (await ledger.runs()).filter((run) => run.target !== host || run.supplier !== supplier);
  for (const run of others) if (await hasSent(ledger, run)) throw belongsElsewhere(path, run, { host, supplier });
}

/** A run that never got as far binds nothing: its target may have been the slip. */
async function hasSent(ledger: Ledger, { id, dryRun }: Run): Promise<boolean> {
  if (dryRun) return false;
  const { counts } = await ledger.summary(id);
  return SENT.some((status) => (counts[status] ?? 0) > 0);
}

const SENT: readonly Status[] = ["accepted", "rejected", "ambiguous", "blocked"];

function belongsElsewhere(path: string, { target, supplier }: Run, here: Recipient): Failure {
  const [from, to] = target === here.host ? [`supplier ${supplier}`, here.supplier] : [target, here.host];
  return new Failure("wrong_target", `the ledger ${path} belongs to ${from}, and this run is for ${to}`, {
    hint: "check --target, --base-url and --supplier; if they are meant, use a ledger of their own: --ledger <path>",
  });
}
