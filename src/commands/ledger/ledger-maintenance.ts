import type { LedgerCheck } from "../../ledger/integrity/ledger-check.ts";
import { checkLedger } from "../../ledger/integrity/ledger-check.ts";
import type { ExportedRow } from "../../ledger/sqlite/ledger-export.ts";
import { exportLedger } from "../../ledger/sqlite/ledger-export.ts";
import type { LedgerRepair } from "../../ledger/integrity/ledger-repair.ts";
import { repairLedger } from "../../ledger/integrity/ledger-repair.ts";
import { isLocked, lockLedger } from "../../ledger/lock/ledger-lock.ts";
import type { Clock } from "../../time/clock.ts";
import { requireLedgerFile } from "../../pipeline/run-ledger.ts";

export interface LedgerOptions {
  /** Path of the ledger's file. */
  readonly ledger: string;
}

/** Whether the ledger can be trusted. Changes nothing. */
export function ledgerCheck({ ledger }: LedgerOptions): LedgerCheck {
  requireLedgerFile(ledger);
  return checkLedger(ledger, () => isLocked(ledger));
}

/** Makes a sound ledger of what can be read of a damaged one, which is kept beside it. */
export async function ledgerRepair({ ledger }: LedgerOptions, clock: Pick<Clock, "now">): Promise<LedgerRepair> {
  requireLedgerFile(ledger);
  const lock = await lockLedger(ledger, "ledger repair");
  try {
    return repairLedger(ledger, new Date(clock.now()).toISOString().replaceAll(/\D/g, "").slice(0, 14));
  } finally {
    await lock.release();
  }
}

/** Everything that the ledger knows. */
export function ledgerExport({ ledger }: LedgerOptions): Generator<readonly ExportedRow[]> {
  requireLedgerFile(ledger);
  return exportLedger(ledger, () => isLocked(ledger));
}
