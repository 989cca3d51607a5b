import {
  type Outcome,
  type RecordCounts,
  type Status,
  STATUSES,
  type Summary,
  type ValidOutcomes,
} from "../model/outcome.ts";
import type { Timeline } from "../model/timeline.ts";
import type { FieldTitle } from "./problems/problem-title.ts";
import { jsonText } from "../terminal/safe-json.ts";

export interface RunOutcomes {
  /**
   * Yields the outcomes in input order, in batches; by default, the outcomes of all statuses. May be called more than
   * once.
   */
  readonly outcomes: (statuses?: readonly Status[]) => AsyncIterable<readonly Outcome[]>;
}

/** A run, as input for the reporters. */
export interface Report extends RunOutcomes {
  readonly summary: Summary;
  /** Yields the same outcomes, with consecutive valid records as columns. Absent if they are not stored as columns. */
  readonly inColumns?: () => AsyncIterable<readonly (Outcome | ValidOutcomes)[]>;
  /** Returns the reason why an ambiguous or pending record is not settled; undefined if the ledger has none. */
  readonly reasonOf?: ((unsettled: Outcome) => Promise<string | undefined>) | undefined;
  /** Whether to show the values of cells next to their shapes (`--show-values`). */
  readonly showValues: boolean;
  /** Whether to add the attributes `file` and `line` to JUnit test cases (`--test-locations`). */
  readonly testLocations?: boolean | undefined;
  readonly colour: boolean;
  /** Width of the terminal in columns. */
  readonly width: number;
  /** The command, such as `validate accounts.csv`. */
  readonly title: string;
  /** Facts about the run. The page shows them, because its readers may not know which command was run. */
  readonly run?: RunFacts;
  /** The titles of fields in the contract, for the page. */
  readonly fieldTitle?: FieldTitle;
  /** The owner of the records, if all records of the report have the same owner. */
  readonly owner?: OwnerFacts;
  /** The exact command to run next. */
  readonly next?: string;
  readonly folder?: string;
  /** Number of records that could not be included in the rejects. Absent if no rejects were written. */
  readonly leftOut?: number;
}

/** The owner of the records in a package, and the deadline. */
interface OwnerFacts {
  readonly name: string;
  readonly address?: string | undefined;
  /** The earliest day (UTC) on which one of the records is due. */
  readonly due?: string | undefined;
}

export interface RunFacts {
  readonly command: "validate" | "push" | "documents check";
  /** Absent if the run cannot be continued. */
  readonly id?: string;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly finishedAt?: string;
  /** Host and port of the platform; empty unless the run is a push. */
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly dryRun: boolean;
  readonly timeline?: Timeline;
}

/** Writes text, or the UTF-8 bytes of text, to the destination of the report. */
export type Write = (text: string | Uint8Array) => Promise<void> | void;

/** Renders a complete report. Does not catch errors from `write` or from reading the outcomes. */
export type Reporter = (report: Report, write: Write) => Promise<void>;

/**
 * Yields every outcome of the run, in input order, in batches.
 * @throws Error (a bug) if the counts of the summary do not add up, or, at the end, if the outcomes differ from them
 */
export function allOutcomes({ summary, outcomes }: Report): AsyncGenerator<readonly Outcome[]> {
  return withCheckedCounts(outcomes(), summary);
}

/**
 * Yields every outcome as `allOutcomes` does. If consecutive valid records are stored as columns, yields them as
 * columns.
 */
export function allInColumns(report: Report): AsyncGenerator<readonly (Outcome | ValidOutcomes)[]> {
  const { summary, outcomes, inColumns = outcomes } = report;
  return withCheckedCounts(inColumns(), summary);
}

async function* withCheckedCounts<Part extends Outcome | ValidOutcomes>(
  batches: AsyncIterable<readonly Part[]>,
  summary: Summary,
): AsyncGenerator<readonly Part[]> {
  assertCountsAddUp(summary);
  const seen = new Map<Status, number>();
  for await (const batch of batches) {
    for (const part of batch) {
      const [status, count]: [Status, number] = isOutcome(part) ? [part.status, 1] : ["valid", part.to - part.from];
      seen.set(status, (seen.get(status) ?? 0) + count);
    }
    yield batch;
  }
  assertCountsAddUp({ records: summary.records, counts: Object.fromEntries(seen) });
  for (const [status, count] of seen) {
    if (count !== summary.counts[status]) {
      throw new Error(
        `the report does not add up: ${count} outcomes are ${status}, not ${summary.counts[status] ?? 0}`,
      );
    }
  }
}

export function isOutcome(part: Outcome | ValidOutcomes): part is Outcome {
  return "status" in part;
}

/** Records with these statuses may have warnings, but no errors. */
export const WITHOUT_ERRORS: ReadonlySet<Status> = new Set(["valid", "accepted", "skipped"]);
const STATUSES_WITH_ERRORS: readonly Status[] = STATUSES.filter((status) => !WITHOUT_ERRORS.has(status));

/**
 * Yields the outcomes that have problems. If the run has no warnings, reads only records whose status allows errors.
 */
export async function* outcomesWithProblems(report: Report): AsyncGenerator<readonly Outcome[]> {
  const { summary, outcomes, inColumns = outcomes } = report;
  const warnings = Object.keys(summary.warnings).length > 0;
  for await (const batch of warnings ? inColumns() : outcomes(STATUSES_WITH_ERRORS)) {
    const withProblems = batch.filter(isOutcome).filter(({ problems }) => problems.length > 0);
    if (withProblems.length > 0) yield withProblems;
  }
}

/**
 * Renders the summary as one JSON object: the number of records, the count of every status, `errors` by code,
 * `warnings` by code (if any), and `exitCode`.
 */
export function summaryJson(summary: Summary): string {
  const { records, counts, errors, warnings, exitCode } = summary;
  const members = [`"records":${records}`, ...STATUSES.map((status) => `"${status}":${counts[status] ?? 0}`)];
  members.push(`"errors":${countsJson(errors)}`);
  if (Object.keys(warnings).length > 0) members.push(`"warnings":${countsJson(warnings)}`);
  return `{${members.join(",")},"exitCode":${exitCode}}`;
}

function countsJson(counts: Readonly<Record<string, number>>): string {
  const members = Object.entries(counts).map(([code, count]) => `${jsonText(code)}:${count}`);
  return `{${members.join(",")}}`;
}

/**
 * Checks that the counts of all statuses add up to `records`. An inconsistent report must not be shown.
 * @throws Error (a bug) if the counts do not add up
 */
function assertCountsAddUp({ records, counts }: RecordCounts): void {
  const total = STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  if (total !== records) throw new Error(`the report does not add up: ${total} outcomes of ${records} records`);
}

export function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

export function countRecords(summary: Summary, statuses: Iterable<Status>): number {
  return [...statuses].reduce((sum, status) => sum + (summary.counts[status] ?? 0), 0);
}
