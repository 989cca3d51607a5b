/** The state of the whole migration, for `migration.json` and `migration.html`. */
export interface MigrationReport {
  readonly format: "migrate-migration/1";
  readonly tool: string;
  /** ISO 8601 UTC. */
  readonly madeAt: string;
  /** Latest first. */
  readonly destinations: readonly DestinationReport[];
  /** Open records, grouped by cause and owner; largest group first. */
  readonly open: readonly OpenCauseReport[];
  /** Latest first. */
  readonly runs: readonly RunOfMigration[];
}

export interface DestinationReport {
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  /** Distinct records that pushes have planned. */
  readonly records: number;
  /** Records by state; states without records are omitted. */
  readonly states: Readonly<Record<string, number>>;
  /** Accepted records by the day (UTC) on which their content was accepted, in order. */
  readonly accepted: readonly { readonly day: string; readonly records: number }[];
}

/** Open records by cause and owner. A record with several causes counts once for each cause. */
export interface OpenCauseReport {
  readonly cause: string;
  /** Empty if no rule assigns an owner. */
  readonly owner: string;
  readonly records: number;
  /** Number of records by days open: up to 7, up to 30, more. */
  readonly ages: readonly [week: number, month: number, older: number];
}

export function recordStateText(state: string): string {
  return state === "outdated" ? "out of date" : state;
}

export interface RunOfMigration {
  readonly id: string;
  readonly startedAt: string;
  readonly by?: string;
  readonly state: string;
  readonly records: number;
  readonly counts: Readonly<Record<string, number>>;
}
