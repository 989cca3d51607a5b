import type { Status } from "../../model/outcome.ts";
import type { TargetDestination } from "../migration-state.ts";

interface RunDescription extends TargetDestination {
  readonly command: "validate" | "push" | "documents check";
  /** The operation's id in the contract, for display. The id may change from run to run. */
  readonly operation: string;
  /** Settings that `resume` and `report` need; plain JSON, without credentials. */
  readonly settings: unknown;
  /** Whether the run only plans. A dry run plans like other runs, but never sends. */
  readonly dryRun: boolean;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
}

export interface NewRun extends RunDescription {
  /** The files to store with the run. */
  readonly setup?: readonly SetupFile[];
}

export interface SetupFile {
  /** SHA-256 of the content, in hexadecimal. */
  readonly sha256: string;
  readonly content: Uint8Array;
}

export interface Run extends RunDescription {
  /** Sortable and short: `20261120-2341-7f3a`. */
  readonly id: string;
  /** `planning`: the input has not been read completely, even if the run has ended. */
  readonly state: "planning" | "sending" | "finished";
  readonly finishedAt?: string;
  readonly exitCode?: number;
}

export interface LedgerHistory {
  /** The id of the first run; undefined if there is no run yet. Only copies of this ledger have the same first run. */
  readonly id: string | undefined;
  /**
   * Total number of requests in the ledger: the saved intents of all runs, and the requests that were added from
   * journals. Only a repair reduces this number.
   */
  readonly requests: number;
  /**
   * Milliseconds since the last request without a clear reply was abandoned; undefined if there was none. Negative if
   * the clock has been set back.
   */
  readonly msSinceAbandoned: number | undefined;
}

/** Record counts for one destination. A record counts once, even if several runs contain it. */
export interface Coverage extends Pick<Run, "target" | "supplier" | "operation"> {
  readonly records: number;
  /** Number of records that the platform accepted in any run. */
  readonly accepted: number;
}

export interface StatusFilter {
  readonly statuses?: readonly Status[];
}

export interface OutcomeFilter extends StatusFilter {
  readonly key?: string;
  /**
   * Selects keys with the same normal form as this key. The normal form (`normalKey`) ignores changes that are typical
   * of spreadsheets, such as case, spaces and leading zeros.
   */
  readonly nearKey?: string;
}
