import type { Dependencies } from "../../job/dependencies.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { readRunLedger } from "../../pipeline/run/run-ledger.ts";
import { verifyProof } from "../../proof/verify-proof.ts";

export interface CheckProofOptions {
  readonly ledger: string;
  /** Folder of the proof. */
  readonly folder: string;
}

export interface CheckedProof {
  readonly folder: string;
  /** One sentence per difference; empty if everything matches the proof. */
  readonly differences: readonly string[];
}

/** Rebuilds a proof and compares it with the existing one. Uses no network. */
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
