import type { Operation } from "../../contract/operations/operation.ts";
import { findOperation } from "../../contract/operations/find-operation.ts";
import type { Ledger, Run } from "../../ledger/ledger.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { Outcome } from "../../model/outcome.ts";
import {
  type Advise,
  type Drift,
  type KnownRules,
  collectDrift,
  knownRules,
  proposeRule,
} from "../../drift/collect-drift.ts";
import { pathsFrom, readContract, shippedRuleCodes } from "../../job/contract-files.ts";
import type { ContractCaching, Notifier } from "../../job/dependencies.ts";
import { readRunLedger, requireRun } from "../../pipeline/run/run-ledger.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";

export interface DriftOptions {
  readonly ledger: string;
  /** Id of the run, or a prefix of it; absent: every push in the ledger. */
  readonly run?: string | undefined;
}

/** Differences between the platform and local validation, for one operation. */
export interface OperationDrift {
  readonly operation: string;
  readonly runs: number;
  readonly drift: readonly Drift[];
}

/**
 * Finds problems in the ledger that only the platform reported, and local errors of records that the platform accepted.
 */
export async function drift(
  options: DriftOptions,
  dependencies: ContractCaching & Notifier,
): Promise<readonly OperationDrift[]> {
  return readRunLedger(await openLedgerStore(options.ledger, dependencies), async (ledger) => {
    const runs = options.run === undefined ? await ledger.runs() : [await requireRun(ledger, options.run)];
    const sent = runs.filter(({ command, dryRun }) => command === "push" && !dryRun);
    const byOperation = new Map<string, Run[]>();
    for (const run of sent) byOperation.set(run.operation, [...(byOperation.get(run.operation) ?? []), run]);
    const found: OperationDrift[] = [];
    for (const [operation, same] of byOperation) {
      const advise = await adviserOf(same, dependencies);
      found.push({ operation, runs: same.length, drift: await collectDrift(outcomesOf(ledger, same), advise) });
    }
    return found;
  });
}

async function* outcomesOf(ledger: Ledger, runs: readonly Run[]): AsyncGenerator<readonly Outcome[]> {
  for (const run of runs) yield* ledger.outcomes(run.id, { statuses: ["accepted", "rejected"] });
}

/**
 * Returns a function that proposes rules for the contract of the latest run: known rules first, then guessed rules. The
 * function proposes none if the contract cannot be read.
 */
async function adviserOf([latest]: readonly Run[], dependencies: ContractCaching & Notifier): Promise<Advise> {
  if (latest === undefined) return () => ({});
  try {
    const { job: settings } = settingsOf(latest);
    const contract = await readContract(settings.contract.map(pathsFrom(settings.folder)), dependencies);
    const operation = findOperation(contract, latest.operation);
    return advice(operation, knownRules({ contract, operation, settings }, await shippedRuleCodes()));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    dependencies.notice(`No rules are proposed: ${error.message}`);
    return () => ({});
  }
}

function advice({ body }: Operation, knownOf: KnownRules): Advise {
  return (code, attr) => {
    const known = knownOf(code);
    const isSettled = known !== undefined && known.kind !== "shipped";
    const proposal = isSettled || body === undefined ? undefined : proposeRule(body, code, attr);
    return { ...(known && { known }), ...(proposal && { proposal }) };
  };
}
