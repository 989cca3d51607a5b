import { ledgerCheck, ledgerExport, ledgerRepair } from "../../commands/ledger/ledger-maintenance.ts";
import { runSetup, writeRunSetup } from "../../commands/ledger/run-setup.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import type { Flags, InspectFlags, ProofFlags, RepairFlags, RunFilesFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { ledgerCheckView, ledgerRepairView, runSetupView, writtenSetupView } from "../views/ledger-view.ts";
import { checkedProofView, proofView } from "../views/proof-view.ts";
import { show } from "../views/view.ts";
import { FAILURES } from "../../model/failure.ts";

const AMBIGUOUS_EXIT_CODE = 5;

export function ledgerCheckAction(session: Session, flags: InspectFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const check = await ledgerCheck({ ledger }, context.dependencies);
    await show(ledgerCheckView(ledger), check, flags, context);
    return check.findings.length === 0 ? 0 : FAILURES.ledger_damaged;
  });
}

export function ledgerRepairAction(session: Session, flags: RepairFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const { nothingLost, someLost } = flags;
    const repair = await ledgerRepair({ ledger, nothingLost, someLost }, context.dependencies);
    await show(ledgerRepairView, repair, flags, context);
    return repair.ambiguous + repair.noted === 0 && !repair.isUncertain ? 0 : AMBIGUOUS_EXIT_CODE;
  });
}

export function ledgerExportAction(session: Session, flags: Flags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, { write }) => {
    for await (const rows of ledgerExport({ ledger })) {
      await write(rows.map((row) => `${printableJson(row)}\n`).join(""));
    }
    return 0;
  });
}

export function runShowAction(session: Session, run: string | undefined, flags: InspectFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    return show(runSetupView, await runSetup({ ledger, run }, context.dependencies), flags, context);
  });
}

export function runFilesAction(
  session: Session,
  run: string | undefined,
  { out, ...flags }: RunFilesFlags,
): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    return show(writtenSetupView, await writeRunSetup({ ledger, run, out }, context.dependencies), flags, context);
  });
}

export function proofAction(session: Session, run: string | undefined, flags: ProofFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const { all = false, readBack = false, out } = flags;
    const { makeProof } = await import("../../commands/proof/make-proof.ts");
    const made = await makeProof({ ledger, run, all, readBack, out }, context.dependencies);
    await show(proofView, made, flags, context);
    return made.isComplete ? 0 : 1;
  });
}

export function proofVerifyAction(session: Session, folder: string, flags: ProofFlags): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const { checkProof } = await import("../../commands/proof/make-proof.ts");
    const checked = await checkProof({ ledger, folder }, context.dependencies);
    await show(checkedProofView, checked, flags, context);
    return checked.differences.length === 0 ? 0 : 1;
  });
}
