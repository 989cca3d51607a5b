import type { ErrorDetails } from "../../model/failure.ts";

/** The state of the server's push, shared by all tabs. */
export type PushState =
  | { readonly kind: "idle" }
  /** A dry run counts the records to send. The dry run sends nothing. */
  | { readonly kind: "checking" }
  | { readonly kind: "checked"; readonly plan: PushPlan }
  | { readonly kind: "sending"; readonly plan: PushPlan; readonly isStopping: boolean }
  | { readonly kind: "ended"; readonly plan: PushPlan; readonly end: PushEnd }
  /** The check or the push failed. */
  | { readonly kind: "failed"; readonly error: ErrorDetails };

/** The contents of a push, as the confirmation shows them. */
export interface PushPlan {
  /** The id of the dry run. */
  readonly id: string;
  /** The host and port. */
  readonly target: string;
  readonly isProduction: boolean;
  /** The code of the import supplier; empty if there is none. */
  readonly supplier: string;
  readonly operation: string;
  /** The number of records to send. */
  readonly records: number;
  /** The number of input records by status. The `valid` records are sent. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface PushEnd {
  readonly run: string;
  readonly exitCode: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The command to run next. */
  readonly next?: string;
  /** The path of the folder with the report. */
  readonly folder?: string;
  /** The reasons why the push stopped early, main reason first. */
  readonly failures: readonly ErrorDetails[];
}
