/**
 * The result of comparing an accepted record with the platform: the platform has its content, different content, or
 * nothing.
 */
export type Verification = "same" | "different" | "absent";

export interface RecordVerification {
  readonly record: number;
  readonly verification: Verification;
}

/**
 * Numbers of accepted records of a destination that have been compared with the platform since they were accepted, by
 * result.
 */
export interface VerifiedCounts extends Readonly<Record<Verification, number>> {
  /** When the latest of these records was compared, ISO 8601 UTC. */
  readonly at: string;
}
