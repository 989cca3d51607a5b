export interface CheckProgress {
  readonly records: number;
  readonly invalid: number;
}

/** How the reading and checking of the input ended. */
export interface CheckEnd extends CheckProgress {
  /** Otherwise than `done`, the rest of the input was not read. */
  readonly reason: "done" | "too_many_errors" | "stopped";
}
