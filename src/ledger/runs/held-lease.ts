/** The right to write to a whole ledger. Depending on the ledger, it expires unless it is renewed. */
export interface HeldLease {
  /**
   * False if, by the clock of this process, another process may have acquired the right. Nothing may then be sent.
   * Absent if the right needs no renewal. Only `lost` then shows that it has ended.
   */
  readonly isHeld?: () => boolean;
  /**
   * Aborts when another process has acquired this right, or when it could not be renewed. The reason of the signal is
   * that failure.
   */
  readonly lost: AbortSignal;
}
