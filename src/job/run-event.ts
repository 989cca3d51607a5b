import type { SendComparison } from "../ledger/records/planned-item.ts";
import type { UploadEvent } from "../upload/upload-types.ts";
import type { Counts, RunIdentity, RunState, Sharing } from "./run-progress.ts";

export type RunEvent =
  /**
   * A run has started and has an id. Not emitted for a run in a temporary ledger, because no command can refer to such
   * a run.
   */
  | { readonly kind: "begun"; readonly run: RunIdentity; readonly progressFile: string }
  /** Number of bytes of the input files read so far. Repeated reads do not count. */
  | { readonly kind: "read"; readonly bytes: number; readonly ofBytes: number }
  /** Number of records validated so far. */
  | { readonly kind: "checked"; readonly records: number; readonly invalid: number }
  /**
   * The whole input is planned, and the `pending` records will be sent. In a dry run, these records are `valid`
   * instead. `compared` is absent for the first push to a destination.
   */
  | {
      readonly kind: "planned";
      readonly counts: Counts;
      /** Number of ambiguous records that this run has not sent. */
      readonly ambiguousBefore?: number;
      readonly compared?: SendComparison | undefined;
      readonly isDryRun?: boolean;
    }
  /** This process sends some of the records of a run that another process has planned. */
  | { readonly kind: "joined" }
  | UploadEvent
  /** For a run with several processes: the number of processes, and the progress of the ranges. */
  | { readonly kind: "workers"; readonly sharing: Sharing }
  /** `state`: the state that `status` shows from now on. */
  | { readonly kind: "ended"; readonly state: RunState; readonly exitCode: number; readonly counts: Counts };
