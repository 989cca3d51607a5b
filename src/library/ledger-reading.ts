import { lookUpRecord } from "../commands/ledger/explain.ts";
import { status as ledgerStatus } from "../commands/ledger/run-status.ts";
import type { RunProgress, RunState } from "../job/run-progress.ts";
import { openLedgerStore } from "../ledger/open-ledger-store.ts";
import type { LibraryOptions } from "../options/option-row.ts";
import type { Status, Summary } from "../model/outcome.ts";
import { requireRun } from "../pipeline/run/run-ledger.ts";
import { systemClock } from "../time/system-clock.ts";
import { knownError } from "./call.ts";
import { requireOptions } from "./run-options.ts";
import { recordErrors, recordOutcome } from "./result-of-run.ts";
import type { RecordError, RecordOutcome } from "./run-result.ts";
import { ledgerOf } from "./settings-of-options.ts";

const READ = {
  folder: { kind: "text", library: true },
  /** Path of the ledger file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  ledger: { kind: "text", library: true },
  /** Id of the run, or a prefix of it. */
  run: { kind: "text", library: true },
} as const;

/** Selects the ledger and the run to read. Reading takes no lock, so the run may still be active. */
export interface ReadLedgerOptions extends LibraryOptions<typeof READ> {}

/** The contents of a ledger. */
export interface LedgerOverview {
  /** The runs, latest first. */
  readonly runs: readonly RunOverview[];
  /** For each destination, the number of records that any run has planned, and how many of them are on the platform. */
  readonly coverage: readonly DestinationCoverage[];
}

export interface RunOverview {
  readonly id: string;
  readonly command: string;
  /** `superseded`: the run is unfinished, but later pushes have planned all of its records. */
  readonly state: RunState | "superseded";
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly finishedAt?: string | undefined;
  /** Host and port of the platform. */
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly dryRun: boolean;
  readonly exitCode?: number | undefined;
  readonly summary: Summary;
  /** Set while the run is active. */
  readonly progress?: RunProgress | undefined;
}

export interface DestinationCoverage {
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly records: number;
  readonly accepted: number;
}

/**
 * Returns all runs of a ledger, or one run. May be called during a push.
 * @throws Failure
 */
export async function status(options: ReadLedgerOptions = {}): Promise<LedgerOverview> {
  requireOptions(options, READ, "status");
  try {
    const { runs, coverage } = await ledgerStatus(
      { ledger: ledgerOf(options), run: options.run },
      { clock: systemClock },
    );
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
  /** The statuses of the records. Default: all statuses. */
  readonly statuses?: readonly Status[] | undefined;
  /** The business key of the records. Default: all records. */
  readonly key?: string | undefined;
}

/**
 * Yields the outcomes of the records of a run (default: the latest), in input order. During a push, an outcome may
 * change after it has been yielded.
 * @throws Failure
 */
export async function* outcomes(options: OutcomesOptions = {}): AsyncGenerator<RecordOutcome> {
  requireOptions(options, { ...READ, statuses: { kind: "statuses" }, key: { kind: "text" } }, "outcomes");
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

export interface ExplainOptions extends ReadLedgerOptions {
  /** The business key. */
  readonly key: string;
}

/** The history of the records with one business key. */
export interface RecordHistory {
  readonly key: string;
  /** The run of the outcomes: the requested run, or the latest run that contains the key. */
  readonly run: string;
  readonly outcomes: readonly RecordOutcome[];
  /** Set if the record was accepted in another run, and is neither `accepted` nor `skipped` in `run`. */
  readonly acceptedElsewhere?: { readonly run: string; readonly account?: string | undefined } | undefined;
  /** Every request for these records, oldest first. */
  readonly attempts: readonly RecordAttempt[];
  /** Every decision about these records while they were `ambiguous` or `existing`, oldest first. */
  readonly decisions: readonly RecordDecision[];
}

export interface RecordAttempt {
  readonly run: string;
  readonly record: number;
  /** The step of the workflow, if the workflow has several steps. */
  readonly step?: string | undefined;
  /** `sending`: the request has no outcome yet, or its process died. */
  readonly status: Status | "sending";
  /** ISO 8601 UTC. */
  readonly intendedAt: string;
  readonly settledAt?: string | undefined;
  readonly http?: number | undefined;
  readonly account?: string | undefined;
  readonly durationMs?: number | undefined;
  /** The reason in a few words. */
  readonly reason?: string | undefined;
  readonly errors: readonly RecordError[];
}

export interface RecordDecision {
  readonly run: string;
  readonly record: number;
  readonly decision: "accepted" | "rejected" | "resend";
  readonly by: "read-back" | "operator";
  readonly who: string;
  readonly reason: string;
  readonly account?: string | undefined;
  readonly at: string;
}

/**
 * Returns the full history of the records with one business key. May be called during a push.
 * @throws Failure
 */
export async function explain(options: ExplainOptions): Promise<RecordHistory> {
  requireOptions(options, { ...READ, key: { kind: "text", library: "required" } }, "explain");
  const { key, run: wanted } = options;
  try {
    const found = await lookUpRecord({ key, run: wanted, ledger: ledgerOf(options) });
    const { run, account } = found.acceptedElsewhere ?? {};
    return {
      key,
      run: found.run.id,
      outcomes: found.outcomes.map((outcome) => recordOutcome(outcome, false)),
      acceptedElsewhere: run === undefined ? undefined : { run, account },
      attempts: found.attempts.map(({ attempt: _number, identity: _identity, problems, ...attempt }) => ({
        ...attempt,
        errors: recordErrors(problems),
      })),
      decisions: found.decisions.map(({ identity: _identity, ...decision }) => decision),
    };
  } catch (error) {
    throw knownError(error);
  }
}
