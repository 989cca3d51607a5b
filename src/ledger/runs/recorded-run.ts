import { Failure } from "../../model/failure.ts";
import type { Run } from "../records/run.ts";
import { requireValues, storedValue } from "../records/stored-value.ts";

/** A run as stored in a ledger's table. */
export interface RunColumns {
  readonly name: string;
  readonly command: Run["command"];
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly endpoint: string;
  readonly settings: string;
  readonly dry_run: number | boolean;
  readonly state: Run["state"];
  readonly started_at: string;
  readonly finished_at: string | null;
  readonly exit_code: number | null;
}

/** The part of a run that operations on the other tables need. */
export interface RunRow {
  /** The row's number in `runs`. */
  readonly number: number;
  readonly state: Run["state"];
  /** False for a run that sends nothing. Its records stay `valid`. */
  readonly sends: boolean;
}

export function toRun(row: RunColumns | undefined): Run | undefined {
  if (row === undefined) return undefined;
  requireValues(row, REQUIRED_RUN_COLUMNS);
  const settings = storedValue((): unknown => JSON.parse(row.settings));
  return {
    id: row.name,
    command: row.command,
    target: row.target,
    supplier: row.supplier,
    operation: row.operation,
    endpoint: row.endpoint,
    settings,
    dryRun: Boolean(row.dry_run),
    startedAt: row.started_at,
    state: row.state,
    ...(row.finished_at !== null && { finishedAt: row.finished_at }),
    ...(row.exit_code !== null && { exitCode: row.exit_code }),
  };
}

/** The columns without which a run cannot be read. `settings` is also required, and must be JSON. */
export const REQUIRED_RUN_COLUMNS = [
  "name",
  "command",
  "target",
  "supplier",
  "operation",
  "endpoint",
  "state",
  "started_at",
] as const;

export function unknownRun(name: string): Failure {
  return new Failure("run_unknown", `the ledger has no run ${name}`, { hint: "list the runs with `migrate status`" });
}

export function severalRuns(prefix: string): Failure {
  return new Failure("run_unknown", `several runs begin with "${prefix}"`, {
    hint: "enter more characters of the run's id",
  });
}

/** The status of a request in flight after its process has died. An idempotent request may be sent again. */
export const AFTER_INTERRUPTION = [
  { harmless: false, status: "ambiguous", reason: "the run ended before a reply was recorded" },
  {
    harmless: true,
    status: "pending",
    reason: "the run ended before a reply was recorded; the step may be repeated",
  },
] as const;
