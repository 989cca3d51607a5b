import type { RowName } from "./planned-item.ts";

/** The decision that a record, or a row without a key, will not be migrated. */
export interface Exclusion {
  /** The identity of the record (`recordIdentity`) or of the row (`rowIdentity`). */
  readonly identity: Uint8Array;
  /** The business key; for a row without a key, its place: `accounts.csv:12`. */
  readonly key: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Account name of the user who made the decision. */
  readonly who: string;
  readonly reason: string;
  /** When and by whom the exclusion was undone; absent while the exclusion is in effect. */
  readonly undoneAt?: string;
  readonly undoneBy?: string;
}

export interface ExclusionEnd {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly who: string;
}

/**
 * Why a record cannot be excluded. `accepted`: the record is on the platform. `unsettled`: the platform may have
 * processed a request or a step of the record.
 */
export type RefusedExclusion = "accepted" | "unsettled";

/** `excluded before`: the record was already excluded. */
export type ExclusionResult = "excluded" | "excluded before" | RefusedExclusion;

/** Returns the identity of a row without a key, for exclusions. The identity differs from every `recordIdentity`. */
export function rowIdentity({ run, record }: RowName): Uint8Array {
  return new TextEncoder().encode(`${ROW}${run} ${record}`);
}

/** Returns the row that a `rowIdentity` identifies; undefined for the identity of a record. */
export function identifiedRow(identity: Uint8Array): RowName | undefined {
  const [, run, record] = /^row (\S+) (\d+)$/.exec(new TextDecoder().decode(identity)) ?? [];
  return run === undefined ? undefined : { run, record: Number(record) };
}

/** The prefix of a `rowIdentity`. */
export const ROW = "row ";
