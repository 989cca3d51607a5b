import type { JsonValue } from "../json/json-value.ts";

/** The result of a user's function for a row. Undefined if the function returned nothing, `null` or `""`. */
export type CallResult = JsonValue | undefined | CallFault;

/** The reason why a call has no result. */
export class CallFault {
  /** Completes "the function f ...": `failed (TypeError in functions.mjs:3)`. */
  readonly text: string;
  readonly hint: string;

  constructor(text: string, hint: string) {
    this.text = text;
    this.hint = hint;
  }
}

/** The function calls for one row, in order. */
export interface RowCalls {
  readonly entries: RecordedCall[];
  /** Number of the batch of rows for which the calls were made. */
  readonly batch: number;
  /** Position at which the search for the next call starts. */
  next: number;
}

interface RecordedCall {
  readonly name: string;
  readonly text: string;
  readonly isDone: boolean;
  readonly result: CallResult;
}
