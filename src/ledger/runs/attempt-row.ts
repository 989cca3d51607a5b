import type { Problem } from "../../model/problem.ts";
import type { Attempt } from "../records/requests.ts";

/** An attempt as stored in a database. Unknown values are null. */
export interface AttemptRow {
  readonly runNumber: number;
  readonly run: string;
  readonly attempt: number;
  readonly record: number;
  readonly step: string | null;
  readonly intendedAt: string;
  readonly settledAt: string | null;
  readonly status: Attempt["status"];
  readonly http: number | null;
  readonly account: string | null;
  readonly durationMs: number | null;
  readonly reason: string | null;
}

export function toAttempt(row: AttemptRow, problems: readonly Problem[]): Attempt {
  return {
    run: row.run,
    attempt: row.attempt,
    record: row.record,
    intendedAt: row.intendedAt,
    status: row.status,
    problems,
    ...(row.step !== null && { step: row.step }),
    ...(row.settledAt !== null && { settledAt: row.settledAt }),
    ...(row.http !== null && { http: row.http }),
    ...(row.account !== null && { account: row.account }),
    ...(row.durationMs !== null && { durationMs: row.durationMs }),
    ...(row.reason !== null && { reason: row.reason }),
  };
}
