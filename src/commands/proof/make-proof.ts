import { type Dependencies, withoutRepeatedNotices } from "../../job/dependencies.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { Proof } from "../../model/proof.ts";
import {
  readRunLedger,
  refuseRunWithAll,
  requireRun,
  plannedRuns,
  type RunSelection,
} from "../../pipeline/run/run-ledger.ts";
import { openPlatformCheck, unansweredCheck, withoutReplaced } from "../../proof/platform-check.ts";
import { verifyProof } from "../../proof/verify-proof.ts";
import { isComplete, writeProof } from "../../proof/write-proof.ts";
import { timestamp } from "../../time/clock.ts";

export interface MakeProofOptions extends RunSelection {
  /** Whether to prove all runs that sent records. */
  readonly all: boolean;
  /** Folder for the proof. */
  readonly out: string | undefined;
  /** Whether to look up accepted records on the platform. */
  readonly readBack: boolean;
}

export interface ProofResult {
  readonly proof: Proof;
  readonly folder: string;
  /** Whether nothing is missing, different or unconfirmed (`isComplete`). */
  readonly isComplete: boolean;
}

/** Writes the proof of one run, or of all runs. Contacts the platform only if `readBack` is set. */
export async function makeProof(
  { ledger: locator, run: id, all, out, readBack }: MakeProofOptions,
  environment: Dependencies,
): Promise<ProofResult> {
  const dependencies = withoutRepeatedNotices(environment);
  if (out === undefined) {
    throw new Failure("usage", "no folder for the proof was given", { hint: "choose one: --out proof" });
  }
  refuseRunWithAll(all, id);
  const opened: { readonly close: () => Promise<void> }[] = [];
  try {
    return await readRunLedger(await openLedgerStore(locator, dependencies), async (ledger) => {
      const runs = all ? await plannedRuns(ledger) : [await requireRun(ledger, id)];
      const proof = await writeProof(
        {
          ledger,
          runs,
          folder: out,
          all,
          madeAt: timestamp(dependencies.clock),
          tool: dependencies.userAgent,
          queryPlatform: readBack
            ? async (job, recorded, run) => {
                const check =
                  all && job.operation.readBack.length === 0
                    ? unansweredCheck(job, dependencies)
                    : await openPlatformCheck(job, recorded, dependencies, (one) => opened.push(one));
                return withoutReplaced(check, run.id, ledger);
              }
            : undefined,
        },
        dependencies,
      );
      return { proof, folder: out, isComplete: isComplete(proof) };
    });
  } finally {
    for (const one of opened) await one.close();
  }
}

export interface CheckProofOptions {
  readonly ledger: string;
  readonly folder: string;
}

export interface CheckedProof {
  readonly folder: string;
  /** One sentence per difference; empty if everything matches the proof. */
  readonly differences: readonly string[];
}

/** Rebuilds a proof and compares it with the existing proof. Does not contact the platform. */
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
