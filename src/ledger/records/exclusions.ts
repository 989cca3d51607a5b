/** The decision that a record will not be migrated. */
export interface Exclusion {
  /** The identity of the record (`recordIdentity`). */
  readonly identity: Uint8Array;
  readonly key: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Account name of the user who decided the exclusion. */
  readonly who: string;
  readonly reason: string;
  /** When and by whom the exclusion was undone; absent while it applies. */
  readonly undoneAt?: string;
  readonly undoneBy?: string;
}

/** The user who ends exclusions, and when. */
export interface ExclusionEnd {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly who: string;
}

/**
 * Why a record cannot be excluded. `accepted`: it is on the platform. `unsettled`: a request or a step may have been
 * processed.
 */
export type RefusedExclusion = "accepted" | "unsettled";

/** The result of excluding a record; `excluded before`: it was excluded already. */
export type ExclusionResult = "excluded" | "excluded before" | RefusedExclusion;
