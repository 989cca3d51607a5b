/** The right to write to a whole ledger, which may expire without renewal. */
export interface HeldLease {
  /**
   * False if another process may hold it by now, according to this process's clock. Nothing may be sent then. Absent
   * if the right needs no renewal: then only `lost` applies.
   */
  readonly isHeld?: () => boolean;
  /** Aborts when another process holds it, or when it could not be renewed. The reason is that failure. */
  readonly lost: AbortSignal;
}
