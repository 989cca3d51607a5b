import { checkProof } from "../../commands/proof/check-proof.ts";
import { makeProof } from "../../commands/proof/make-proof.ts";
import type { ProofFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { checkedProofView, proofView } from "../views/proof-view.ts";
import { show } from "../views/view.ts";

export function proofAction(run: string | undefined, flags: ProofFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const { all = false, readBack = false, out } = flags;
    const made = await makeProof({ ledger, run, all, readBack, out }, context.dependencies);
    await show(proofView, made, flags, context);
    return made.isComplete ? 0 : 1;
  });
}

export function proofVerifyAction(folder: string, flags: ProofFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const checked = await checkProof({ ledger, folder }, context.dependencies);
    await show(checkedProofView, checked, flags, context);
    return checked.differences.length === 0 ? 0 : 1;
  });
}
