/** The right to write to a whole ledger, where it ends when it has not been renewed for a while. */
export interface HeldLease {
  /**
   * False: by this process's own clocks another one may have it by now. Nothing is to be sent then. Absent where the right
   * does not have to be renewed: `lost` alone tells.
   */
  readonly isHeld?: () => boolean;
  /** Aborts when another process has it, or when it could not be renewed; the reason is that failure. */
  readonly lost: AbortSignal;
}
