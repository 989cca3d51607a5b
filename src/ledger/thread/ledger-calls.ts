import type { ThreadFailure } from "../../model/thread-failure.ts";
import type { Ledger } from "../ledger.ts";

type OtherMethods = "outcomes" | "openRecords" | "recovery" | "origin" | "inThread" | "lease" | "close";

/** The calls to the thread of a ledger, one for each method that the thread performs. */
interface LedgerCalls extends Omit<Ledger, OtherMethods> {
  /** Closes the ledger. Resolves to false if the log could not be written into the file. */
  readonly close: () => Promise<boolean>;
}

export type CallName = keyof LedgerCalls;
type CallArguments = { readonly [Name in CallName]: Parameters<LedgerCalls[Name]> };
type CallResults = { readonly [Name in CallName]: Awaited<ReturnType<LedgerCalls[Name]>> };

export type CallMethods = {
  readonly [Name in CallName]: (...given: CallArguments[Name]) => Promise<CallResults[Name]>;
};

/** The ledger of a thread. Another thread holds the ledger's lock, has checked the ledger, and keeps it open. */
export interface LedgerWork {
  readonly path: string;
  /** The writer recorded in the ledger. */
  readonly writer?: string | undefined;
  /** Whether the pages of the ledger were checked when it was opened. */
  readonly isChecked: boolean;
}

/** The message that the thread posts when it is ready to accept calls. */
export const READY = "ready";

export type LedgerCall<Name extends CallName = CallName> = {
  readonly [Each in Name]: { readonly id: number; readonly name: Each; readonly given: CallArguments[Each] };
}[Name];

/** The answer to a call: its result, a failure, or a bug (`error`). */
export type LedgerAnswer<Name extends CallName = CallName> =
  | { readonly result: CallResults[Name] }
  | { readonly failure: ThreadFailure }
  | { readonly error: unknown };

export type CallsOf<Name extends CallName> = {
  readonly given: CallArguments[Name];
  readonly result: CallResults[Name];
};
