import type { ExportedRow, LedgerCheck, LedgerRepair } from "../../ledger/ledger-store.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import { forgetJournal } from "../../pipeline/run/run-journal.ts";
import { type Clock, timestamp } from "../../time/clock.ts";

export interface LedgerOptions {
  /** Locator of the ledger: the path of its file, or its URL. */
  readonly ledger: string;
}

/** Whether the ledger can be trusted. Changes nothing. */
export async function ledgerCheck({ ledger }: LedgerOptions): Promise<LedgerCheck> {
  return (await openLedgerStore(ledger)).check();
}

/** Makes a sound ledger of what can be read of a damaged one, which is kept. */
export async function ledgerRepair({ ledger }: LedgerOptions, clock: Pick<Clock, "now">): Promise<LedgerRepair> {
  const store = await openLedgerStore(ledger);
  const repaired = await store.repair?.(timestamp(clock).replaceAll(/\D/g, "").slice(0, 14));
  if (repaired !== undefined) {
    await forgetJournal(store);
    return repaired;
  }
  throw new Failure("usage", `the ledger ${store.name} is not kept in a file, so there is nothing to repair here`, {
    hint: "restore it with the tools of its database server",
  });
}

/** Everything that the ledger knows. */
export async function* ledgerExport({ ledger }: LedgerOptions): AsyncGenerator<readonly ExportedRow[]> {
  yield* (await openLedgerStore(ledger)).export();
}
