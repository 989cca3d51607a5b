import type { MessagePort } from "node:worker_threads";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";

/** What the thread of functions is started with. */
export interface FunctionWork {
  /** URL of the module. */
  readonly module: string;
  /** Its own channel: the module may use that of the thread for itself. */
  readonly port: MessagePort;
  /** Two 32-bit integers, `PROGRESS`. */
  readonly progress: SharedArrayBuffer;
}

/** Positions in the shared progress. `call`: index in its batch of the call under way, or `NO_CALL`; `count`: calls so far. */
export const PROGRESS = { call: 0, count: 1 } as const;
export const NO_CALL = -1;

/** An error that was thrown in the thread, as far as it can be read. */
export interface ThrownError {
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly stack?: string | undefined;
}

/** First answer of the thread. */
export type LoadAnswer =
  | { readonly functions: readonly LoadedFunction[] }
  | { readonly thrown: ThrownError; readonly isSyntax: boolean };

export interface LoadedFunction {
  readonly name: string;
  readonly source: string;
}

/** An error that no call threw. Nothing else is answered after it. */
export interface UncaughtAnswer {
  readonly uncaught: ThrownError;
}

/** Calls, in order. */
export interface CallBatch {
  /** Positions in the list of loaded functions. */
  readonly functions: readonly number[];
  readonly texts: readonly string[];
  /** For each call its row in `rows`; `NO_ROW` for a function that takes none. */
  readonly rowOf: readonly number[];
  /** Cells (CSV) or the object (JSON). */
  readonly rows: readonly (readonly string[] | JsonObject)[];
  /** For each row its header among all headers sent so far; `NO_ROW` for JSON. */
  readonly headerOf: readonly number[];
  readonly newHeaders: readonly (readonly string[])[];
}

export const NO_ROW = -1;

export interface BatchAnswer {
  /** Results of the calls before the first fault, or of as many as one answer holds; undefined for nothing, `null` and `""`. */
  readonly values: readonly (JsonValue | undefined)[];
  readonly fault?: Fault | undefined;
  /** Bytes of the thread's heap and of its buffers. */
  readonly usedBytes: number;
}

/** Of one result: characters of texts and names, and one for each other value. */
export const MOST_CHARACTERS: number = 2 ** 20;

/** Why a call has no result. `unreadable`: reading what it returned threw. */
export type Fault =
  | { readonly kind: "threw" | "unreadable"; readonly thrown: ThrownError }
  | { readonly kind: "refused"; readonly called: RefusedCall }
  | { readonly kind: "promise" | "not JSON" | "cyclic" | "nested" | "long" };

/** What a function may not call. `process.exit` ends only the thread, and is noticed by that. */
export type RefusedCall = "process.kill" | "process.abort" | "new Worker" | "fs.close";
