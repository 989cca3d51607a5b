import type { UploadEvent } from "../upload/upload-types.ts";
import type { Counts, RunIdentity, RunState, Sharing } from "./run-progress.ts";

/** What a run says of itself while it is at work. */
export type RunEvent =
  /** The run has its id. Not told of runs in a temporary ledger, which nobody can name. */
  | { readonly kind: "begun"; readonly run: RunIdentity; readonly progressFile: string }
  /** So many bytes of the input's files were read so far; what is read again does not count again. */
  | { readonly kind: "read"; readonly bytes: number; readonly ofBytes: number }
  /** So many records were checked so far. */
  | { readonly kind: "checked"; readonly records: number; readonly invalid: number }
  /** The whole input is planned; what is `pending` is sent from here on. */
  | { readonly kind: "planned"; readonly counts: Counts }
  /** This process sends some of the records of a run that another one has planned. */
  | { readonly kind: "joined" }
  | UploadEvent
  /** Of a run that several processes send: how many there are, and how far its ranges are. */
  | { readonly kind: "workers"; readonly sharing: Sharing }
  /** `state` as `status` shows it from here on. */
  | { readonly kind: "ended"; readonly state: RunState; readonly exitCode: number; readonly counts: Counts };
