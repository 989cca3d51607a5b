import type { Outcome } from "../model/outcome.ts";
import type { VerifiedCounts } from "./records/verifications.ts";

/**
 * The state of a record in the migration, across all runs. `accepted`: the platform has the content of the latest
 * planned push. `outdated`: the platform has different content. `existing`: the content on the platform is not known.
 * `excluded`: the record will not be migrated. All other states come from the latest planned push with the record;
 * `pending` includes blocked records.
 */
export const RECORD_STATES = [
  "accepted",
  "outdated",
  "existing",
  "rejected",
  "invalid",
  "ambiguous",
  "pending",
  "excluded",
] as const;
export type RecordState = (typeof RECORD_STATES)[number];

/**
 * The state of a record that is neither accepted nor excluded. `missing`: the key is in the inventory, but no push has
 * contained it.
 */
export type OpenState = Exclude<RecordState, DoneState> | "missing";
type DoneState = "accepted" | "excluded";
export const OPEN_STATES: readonly OpenState[] = [...RECORD_STATES.filter((state) => !isDone(state)), "missing"];

export function isDone(state: RecordState): state is DoneState {
  return state === "accepted" || state === "excluded";
}

/** The operation and the import supplier for which records are created. */
export interface Destination {
  /**
   * Method and address that create the records: `POST api.example.com/v1/data-import/accounts`. Empty unless the
   * run is a push.
   */
  readonly endpoint: string;
  readonly supplier: string;
}

/** A destination on one platform. */
export interface TargetDestination extends Destination {
  /** Host and port of the platform; empty unless the run is a push. */
  readonly target: string;
}

/** The state of the migration to one destination. Dry runs and unfinished plans do not count. */
export interface DestinationState extends TargetDestination {
  /** The operation of the latest push. */
  readonly operation: string;
  /** Number of distinct records: the sum of the counts for all states. */
  readonly records: number;
  readonly counts: Readonly<Record<RecordState, number>>;
  /** Absent if no accepted records have been compared with the platform. */
  readonly verified?: VerifiedCounts;
  /**
   * Number of rows without a key. `records` does not include these rows. They cannot be followed from push to push, so
   * a row counts until its file, or the same row in another file, is pushed again to this destination.
   */
  readonly withoutKey: number;
}

/** The records that were accepted at one destination on one day. */
export interface AcceptedDay extends TargetDestination {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly records: number;
}

/**
 * A record that is not done, with its place in the latest planned push. For a missing key, the place is in the
 * inventory.
 */
export interface OpenRecord extends Pick<Outcome, "key" | "source" | "problems"> {
  readonly state: OpenState;
  /** The latest planned push with the record; empty for a missing key. */
  readonly run: string;
  /** The number of the record in that run; 0 for a missing key. */
  readonly record: number;
  readonly target: string;
  readonly supplier: string;
  /**
   * When the record became open, ISO 8601 UTC: the start of the first planned push with the record. If the record was
   * accepted: the start of the first planned push since its acceptance with different content for the record. For a
   * missing key: the start of the first planned push to the target.
   */
  readonly since: string;
}

export interface OpenFilter {
  /** Selects records whose `since` is this time or later, ISO 8601 UTC. */
  readonly since?: string | undefined;
}
