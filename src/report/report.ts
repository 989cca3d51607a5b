import { type Outcome, type Status, STATUSES, type Summary, type ValidOutcomes } from "../model/outcome.ts";
import type { Timeline } from "../model/timeline.ts";
import { jsonText } from "../terminal/safe-json.ts";

/** A finished run as the reporters see it. */
export interface Report {
  readonly summary: Summary;
  /** The outcomes in input order, in batches; may be asked for more than once. Without statuses: all of them. */
  readonly outcomes: (statuses?: readonly Status[]) => AsyncIterable<readonly Outcome[]>;
  /** All outcomes as `outcomes` gives them, good records side by side as columns; absent where they are not kept so. */
  readonly inColumns?: () => AsyncIterable<readonly (Outcome | ValidOutcomes)[]>;
  /** Show the values of cells beside their shapes (`--show-values`). */
  readonly showValues: boolean;
  /** Give the test cases of JUnit the attributes `file` and `line` (`--test-locations`). */
  readonly testLocations?: boolean | undefined;
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** What was run: "validate accounts.csv". */
  readonly title: string;
  /** For the page that people open who have never seen the command. */
  readonly run?: RunFacts;
  /** The exact command to go on with. */
  readonly next?: string;
  /** The folder that the report files lie in. */
  readonly folder?: string;
  /** Rows of records that need work and that its rejects could not take. */
  readonly leftOut?: number;
}

/** What there is to say of a run beside its records. */
export interface RunFacts {
  readonly command: "validate" | "push" | "documents check";
  /** Absent where nobody can go on with it. */
  readonly id?: string;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly finishedAt?: string;
  /** Host and port of the platform; empty when nothing was to be sent. */
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly dryRun: boolean;
  readonly timeline?: Timeline;
}

/** Takes a piece of text, or its bytes in UTF-8, to where the report goes. */
export type Write = (text: string | Uint8Array) => Promise<void> | void;

/** Renders a report to the end; raises what `write` or the outcomes raise. */
export type Reporter = (report: Report, write: Write) => Promise<void>;

/**
 * Every outcome of the run, in input order, in batches.
 * @throws Error (a bug) at the end when the outcomes do not match the counts of the summary, status by status
 */
export function allOutcomes({ summary, outcomes }: Report): AsyncGenerator<readonly Outcome[]> {
  return addingUp(outcomes(), summary);
}

/** The same; good records side by side as columns, where they are kept so. */
export function allInColumns(report: Report): AsyncGenerator<readonly (Outcome | ValidOutcomes)[]> {
  const { summary, outcomes, inColumns = outcomes } = report;
  return addingUp(inColumns(), summary);
}

async function* addingUp<Part extends Outcome | ValidOutcomes>(
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

/** Whether it is one outcome, and not several in columns. */
export function isOutcome(part: Outcome | ValidOutcomes): part is Outcome {
  return "status" in part;
}

/** A record with one of these can have warnings, but no errors. */
const STATUSES_WITHOUT_ERRORS: ReadonlySet<Status> = new Set(["valid", "accepted", "skipped"]);
const STATUSES_WITH_ERRORS: readonly Status[] = STATUSES.filter((status) => !STATUSES_WITHOUT_ERRORS.has(status));

/** The outcomes that have problems; clean records are passed over unread when the run has no warnings. */
export async function* outcomesWithProblems(report: Report): AsyncGenerator<readonly Outcome[]> {
  const { summary, outcomes, inColumns = outcomes } = report;
  const warnings = Object.keys(summary.warnings).length > 0;
  for await (const batch of warnings ? inColumns() : outcomes(STATUSES_WITH_ERRORS)) {
    const troubled = batch.filter(isOutcome).filter(({ problems }) => problems.length > 0);
    if (troubled.length > 0) yield troubled;
  }
}

/** The summary as one JSON object: records, every status, `errors` (and `warnings`, if any) by code, `exitCode`. */
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
 * Every status adds up to `records`.
 * @throws Error (a bug) when they do not: a report that does not add up must not be shown
 */
function assertCountsAddUp({ records, counts }: Pick<Summary, "records" | "counts">): void {
  const total = STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  if (total !== records) throw new Error(`the report does not add up: ${total} outcomes of ${records} records`);
}

/** How many records have one of the statuses. */
export function countRecords(summary: Summary, statuses: Iterable<Status>): number {
  return [...statuses].reduce((sum, status) => sum + (summary.counts[status] ?? 0), 0);
}
