import { status as ledgerStatus } from "../commands/ledger/run-status.ts";
import type { RunProgress, RunState } from "../job/run-progress.ts";
import { openLedgerStore } from "../ledger/open-ledger-store.ts";
import type { Status, Summary } from "../model/outcome.ts";
import { requireRun } from "../pipeline/run-ledger.ts";
import { systemClock } from "../time/system-clock.ts";
import { knownError } from "./call.ts";
import { recordOutcome } from "./result-of-run.ts";
import type { RecordOutcome } from "./run-result.ts";
import { ledgerOf } from "./settings-of-options.ts";

/** Which run of which ledger is looked at. Nothing is locked: it may be at work. */
export interface ReadLedgerOptions {
  readonly folder?: string | undefined;
  /** Default: `.migrate/ledger.db`. */
  readonly ledger?: string | undefined;
  /** Id of the run, or the beginning of it. */
  readonly run?: string | undefined;
}

/** What a ledger knows. */
export interface LedgerOverview {
  /** The latest first. */
  readonly runs: readonly RunOverview[];
  /** How much of what was ever to be sent is on the platform, over all runs. */
  readonly coverage: readonly DestinationCoverage[];
}

export interface RunOverview {
  readonly id: string;
  readonly command: string;
  readonly state: RunState;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly finishedAt?: string | undefined;
  /** Host and port. */
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly dryRun: boolean;
  readonly exitCode?: number | undefined;
  readonly summary: Summary;
  /** Of a run that is at work. */
  readonly progress?: RunProgress | undefined;
}

export interface DestinationCoverage {
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly records: number;
  readonly accepted: number;
}

/** All runs of a ledger, or one; beside a running push as well. @throws Failure */
export async function status(options: ReadLedgerOptions = {}): Promise<LedgerOverview> {
  try {
    const { runs, coverage } = await ledgerStatus({ ledger: ledgerOf(options), run: options.run }, systemClock);
    return {
      runs: runs.map(({ run, summary, state, progress }) => {
        const { id, command, startedAt, finishedAt, target, supplier, operation, dryRun, exitCode } = run;
        const about = { id, command, state, startedAt, finishedAt, target, supplier, operation, dryRun, exitCode };
        return { ...about, summary, progress };
      }),
      coverage: coverage.map(({ target, supplier, operation, records, accepted }) => {
        return { target, supplier, operation, records, accepted };
      }),
    };
  } catch (error) {
    throw knownError(error);
  }
}

export interface OutcomesOptions extends ReadLedgerOptions {
  /** Only records with one of these. */
  readonly statuses?: readonly Status[] | undefined;
  /** Only those with this business key. */
  readonly key?: string | undefined;
}

/**
 * What became of the records of a run (default: the latest), in input order; beside a running push as well: what it has
 * written down by the time this is asked. @throws Failure
 */
export async function* outcomes(options: OutcomesOptions = {}): AsyncGenerator<RecordOutcome> {
  const { statuses, key } = options;
  const filter = { ...(statuses && { statuses }), ...(key !== undefined && { key }) };
  const ledger = await (await openLedgerStore(ledgerOf(options))).read();
  try {
    const run = await requireRun(ledger, options.run);
    for await (const batch of ledger.outcomes(run.id, filter)) {
      for (const outcome of batch) yield recordOutcome(outcome, false);
    }
  } catch (error) {
    throw knownError(error);
  } finally {
    await ledger.close();
  }
}
