/**
 * The result of comparing an accepted record with the platform: the platform has the same content, different content,
 * or no such record.
 */
export type Verification = "same" | "different" | "absent";

export interface RecordVerification {
  readonly record: number;
  readonly verification: Verification;
}

/**
 * For one destination: the number of accepted records with each result. Ignores comparisons that took place before the
 * record was accepted.
 */
export interface VerifiedCounts extends Readonly<Record<Verification, number>> {
  /** When the latest of these records was compared, ISO 8601 UTC. */
  readonly at: string;
}
