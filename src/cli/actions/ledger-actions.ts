import { ledgerCheck, ledgerExport, ledgerRepair } from "../../commands/ledger/ledger-maintenance.ts";
import { runSetup, writeRunSetup } from "../../commands/ledger/run-setup.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import type { Flags, InspectFlags, RunFilesFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { ledgerCheckView, ledgerRepairView } from "../views/ledger-view.ts";
import { runSetupView, writtenSetupView } from "../views/run-setup-view.ts";
import { show } from "../views/view.ts";

const CORRUPT_EXIT_CODE = 6;
const AMBIGUOUS_EXIT_CODE = 5;

export function ledgerCheckAction(flags: InspectFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const check = await ledgerCheck({ ledger });
    await show(ledgerCheckView(ledger), check, flags, context);
    return check.findings.length === 0 ? 0 : CORRUPT_EXIT_CODE;
  });
}

export function ledgerRepairAction(flags: InspectFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    const { nothingLost } = flags;
    const repair = await ledgerRepair({ ledger, nothingLost }, context.dependencies);
    await show(ledgerRepairView, repair, flags, context);
    return repair.ambiguous + repair.noted === 0 && !repair.isUncertain ? 0 : AMBIGUOUS_EXIT_CODE;
  });
}

export function ledgerExportAction(flags: Flags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, { write }) => {
    for await (const rows of ledgerExport({ ledger })) {
      await write(rows.map((row) => `${printableJson(row)}\n`).join(""));
    }
    return 0;
  });
}

export function runShowAction(run: string | undefined, flags: InspectFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    await show(runSetupView, await runSetup({ ledger, run }, context.dependencies), flags, context);
    return 0;
  });
}

export function runFilesAction(
  run: string | undefined,
  { out, ...flags }: RunFilesFlags,
  session: Session,
): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, context) => {
    await show(writtenSetupView, await writeRunSetup({ ledger, run, out }, context.dependencies), flags, context);
    return 0;
  });
}
