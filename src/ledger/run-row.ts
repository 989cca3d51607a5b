import type { Run } from "./ledger.ts";

/** A run as the other tables know it. */
export interface RunRow {
  /** The row's number in `runs`. */
  readonly number: number;
  readonly state: Run["state"];
  /** False for `validate` and for dry runs: their records stay `valid`. */
  readonly sends: boolean;
}
