/** The right to write to a whole ledger. In some ledgers, the right expires unless it is renewed. */
export interface HeldLease {
  /**
   * Returns false if, according to the clock of this process, another process may have acquired the right. In that
   * case, nothing may be sent. Absent if the right needs no renewal; only `lost` then shows that the right has ended.
   */
  readonly isHeld?: () => boolean;
  /**
   * Aborts when another process has acquired the right, or when the right could not be renewed. The abort reason of the
   * signal is the failure.
   */
  readonly lost: AbortSignal;
}
