import type { Problem } from "../../model/problem.ts";
import type { Outcome, Status } from "../../model/outcome.ts";
import { parseProblem } from "../records/stored-problem.ts";

/** What is known of a request in flight: a living run waits for its answer, a dead one will never have it. */
export type SendingStatus = "pending" | "ambiguous";

export type Counts = Readonly<Partial<Record<Status, number>>>;

/** One record of a run, as a ledger's tables hold it. */
export interface ItemColumns {
  readonly record: number;
  readonly key: string | null;
  readonly file: string;
  readonly line: number;
  readonly status: Status;
  readonly http: number | null;
  readonly attempts: number | null;
  readonly account: string | null;
  readonly durationMs: number | null;
}

export function toOutcome(item: ItemColumns, problems: readonly Problem[]): Outcome {
  return {
    record: item.record,
    source: { file: item.file, line: item.line },
    status: item.status,
    problems,
    ...(item.key !== null && { key: item.key }),
    ...(item.http !== null && { http: item.http }),
    ...(item.attempts !== null && { attempts: item.attempts }),
    ...(item.account !== null && { account: item.account }),
    ...(item.durationMs !== null && { durationMs: item.durationMs }),
  };
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
