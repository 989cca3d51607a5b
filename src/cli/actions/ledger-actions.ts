import { ledgerCheck, ledgerExport, ledgerRepair } from "../../commands/ledger/ledger-maintenance.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import type { Flags, InspectFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { ledgerCheckView, ledgerRepairView } from "../views/ledger-view.ts";
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
