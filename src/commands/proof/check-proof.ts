import type { Dependencies } from "../../job/dependencies.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { readRunLedger } from "../../pipeline/run/run-ledger.ts";
import { verifyProof } from "../../proof/verify-proof.ts";

export interface CheckProofOptions {
  readonly ledger: string;
  /** Where the proof lies. */
  readonly folder: string;
}

export interface CheckedProof {
  readonly folder: string;
  /** Sentences; none when everything is as the proof says. */
  readonly differences: readonly string[];
}

/** Makes a proof anew and compares. No network. */
export async function checkProof(
  { ledger: locator, folder }: CheckProofOptions,
  dependencies: Dependencies,
): Promise<CheckedProof> {
  const store = await openLedgerStore(locator, dependencies);
  return readRunLedger(store, async (ledger) => ({
    folder,
    differences: await verifyProof({ folder, ledger }, dependencies),
  }));
}
