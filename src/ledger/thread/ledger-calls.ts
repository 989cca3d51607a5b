import type { ThreadFailure } from "../../model/thread-failure.ts";
import type { Ledger } from "../ledger.ts";
import type { PackedItems } from "../packed/item-columns.ts";
import type { PackedRows } from "./packed-rows.ts";

type PlainCalls = Omit<
  Ledger,
  | "plan"
  | "saveIntents"
  | "saveOutcomes"
  | "sendable"
  | "outcomes"
  | "recovery"
  | "origin"
  | "inThread"
  | "lease"
  | "close"
>;

/** What the thread of a ledger is asked to do: the ledger's own methods, those that are called often with packed rows. */
interface LedgerCalls extends PlainCalls {
  readonly plan: (run: string, items: PackedItems) => Promise<void>;
  readonly saveIntents: (run: string, intents: PackedRows, outcomes: PackedRows) => Promise<void>;
  readonly saveOutcomes: (run: string, outcomes: PackedRows) => Promise<void>;
  readonly sendable: (run: string, from: number, to: number) => Promise<PackedRows>;
  /** False where something is left in the log that could not be written into the file. */
  readonly close: () => Promise<boolean>;
}

export type CallName = keyof LedgerCalls;
type CallArguments = { readonly [Name in CallName]: Parameters<LedgerCalls[Name]> };
type CallResults = { readonly [Name in CallName]: Awaited<ReturnType<LedgerCalls[Name]>> };

export type CallMethods = {
  readonly [Name in CallName]: (...given: CallArguments[Name]) => Promise<CallResults[Name]>;
};

/** The ledger that a thread works on: another thread holds its lock, has found it sound, and keeps it open. */
export interface LedgerWork {
  readonly path: string;
  readonly toolVersion?: string | undefined;
  /** What the ledger says of its writer. */
  readonly writer?: string | undefined;
  /** Its pages were looked at when it was opened. */
  readonly isChecked: boolean;
}

/** A ledger, and how it is closed. */
export interface ClosableLedger {
  readonly ledger: Ledger;
  /** False where something is left in the log that could not be written into the file. */
  readonly close: () => boolean;
}

/** What the thread says when it can be asked. */
export const READY = "ready";

/** What the thread is asked. */
export type LedgerCall<Name extends CallName = CallName> = {
  readonly [Each in Name]: { readonly id: number; readonly name: Each; readonly given: CallArguments[Each] };
}[Name];

/** The answer to a call: its result, or what went wrong; `error`: a bug. */
export type LedgerAnswer<Name extends CallName = CallName> =
  | { readonly result: CallResults[Name] }
  | { readonly failure: ThreadFailure }
  | { readonly error: unknown };

export type CallsOf<Name extends CallName> = {
  readonly given: CallArguments[Name];
  readonly result: CallResults[Name];
};
