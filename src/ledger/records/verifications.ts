/** What the platform has of an accepted record, according to a comparison: its content, other content, or nothing. */
export type Verification = "same" | "different" | "absent";

export interface RecordVerification {
  readonly record: number;
  readonly verification: Verification;
}

/** The accepted records of a destination that were compared with the platform since they were accepted. */
export interface VerifiedCounts extends Readonly<Record<Verification, number>> {
  /** When the latest of these records was compared, ISO 8601 UTC. */
  readonly at: string;
}
