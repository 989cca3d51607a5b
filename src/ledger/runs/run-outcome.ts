import type { Problem } from "../../model/problem.ts";
import type { Outcome, Status } from "../../model/outcome.ts";
import type { Writable } from "../../model/writable.ts";
import type { PlannedPlace } from "../records/planned-item.ts";
import { parseProblem } from "../records/stored-problem.ts";

/**
 * The status that is shown for a request in flight. A live run still waits for the reply (`pending`), but a dead run
 * never receives it (`ambiguous`).
 */
export type SendingStatus = "pending" | "ambiguous";

export type Counts = Readonly<Partial<Record<Status, number>>>;

/** A record of a run, as stored in a ledger's tables. */
export interface ItemColumns extends PlannedPlace {
  readonly key: string | null;
  readonly status: Status;
  readonly http: number | null;
  readonly attempts: number | null;
  readonly account: string | null;
  readonly durationMs: number | null;
}

/**
 * Converts a stored item to an outcome. Uses no spreads, because they are slow and a run has an outcome for every
 * record.
 * @param key the item's key, which a database may store in another form
 */
export function toOutcome(item: ItemColumns, problems: readonly Problem[], key: string | null): Outcome {
  const { record, file, line, status, http, attempts, account, durationMs } = item;
  const outcome: Writable<Outcome> = { record, source: { file, line }, status, problems };
  if (key !== null) outcome.key = key;
  if (http !== null) outcome.http = http;
  if (attempts !== null) outcome.attempts = attempts;
  if (account !== null) outcome.account = account;
  if (durationMs !== null) outcome.durationMs = durationMs;
  return outcome;
}

export interface ProblemColumns {
  readonly record: number;
  readonly problem: string;
}

export function problemsByRecord(rows: readonly ProblemColumns[]): ReadonlyMap<number, readonly Problem[]> {
  const problems = new Map<number, Problem[]>();
  for (const { record, problem } of rows) {
    const known = problems.get(record);
    if (known === undefined) problems.set(record, [parseProblem(problem)]);
    else known.push(parseProblem(problem));
  }
  return problems;
}
