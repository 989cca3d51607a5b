import type { ErrorDetails } from "../error-data.ts";

/** The state of the server's push. All tabs see the same state. */
export type PushState =
  | { readonly kind: "idle" }
  /** A dry run counts the records to send. Nothing is sent. */
  | { readonly kind: "checking" }
  | { readonly kind: "checked"; readonly plan: PushPlan }
  | { readonly kind: "sending"; readonly plan: PushPlan; readonly isStopping: boolean }
  | { readonly kind: "ended"; readonly plan: PushPlan; readonly end: PushEnd }
  /** The check or the push failed. */
  | { readonly kind: "failed"; readonly error: ErrorDetails };

/** The content of a push, as shown in the confirmation. */
export interface PushPlan {
  /** The id of the dry run. */
  readonly id: string;
  /** Host and port. */
  readonly target: string;
  readonly isProduction: boolean;
  /** The code of the import supplier; empty without one. */
  readonly supplier: string;
  readonly operation: string;
  /** The number of records to send. */
  readonly records: number;
  /** All records of the input by status. `valid` records are sent. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface PushEnd {
  readonly run: string;
  readonly exitCode: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The command to run next. */
  readonly next?: string;
  /** The folder with the report. */
  readonly folder?: string;
  /** Why the push stopped early, main reason first. */
  readonly failures: readonly ErrorDetails[];
}
