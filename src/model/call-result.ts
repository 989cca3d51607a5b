import type { JsonValue } from "../json/json-value.ts";

/** What a user's function returned for a row; undefined for nothing, `null` and `""`. */
export type CallResult = JsonValue | undefined | CallFault;

/** Why a call has no result. */
export class CallFault {
  /** Completes "the function f ...": `failed (TypeError in functions.mjs:3)`. */
  readonly text: string;
  readonly hint: string;

  constructor(text: string, hint: string) {
    this.text = text;
    this.hint = hint;
  }
}

/** The calls of functions for one row, in order. */
export interface RowCalls {
  readonly made: MadeCall[];
  /** Which batch of rows they were made for. */
  readonly batch: number;
  /** Position at which the next call is looked for first. */
  next: number;
}

interface MadeCall {
  readonly name: string;
  readonly text: string;
  readonly isDone: boolean;
  readonly result: CallResult;
}
