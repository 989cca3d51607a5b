/** The right to write to a whole ledger. Some kinds of this right expire unless they are renewed. */
export interface HeldLease {
  /**
   * False if another process may have acquired this right, according to this process's clock. Nothing may be sent then.
   * Absent if the right needs no renewal: then only `lost` applies.
   */
  readonly isHeld?: () => boolean;
  /**
   * Aborts when another process has acquired this right, or when it could not be renewed. The reason is that failure.
   */
  readonly lost: AbortSignal;
}
