import type { MessagePort } from "node:worker_threads";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";

/** The data that is passed to the function thread when it starts. */
export interface FunctionWork {
  /** URL of the module. */
  readonly module: string;
  /** A separate channel, because the module may use the thread's own channel. */
  readonly port: MessagePort;
  /** Two 32-bit integers, indexed by `PROGRESS`. */
  readonly progress: SharedArrayBuffer;
}

/**
 * Indexes in the shared progress. `call`: index of the running call in its batch, or `NO_CALL`; `count`: number of
 * calls so far.
 */
export const PROGRESS = { call: 0, count: 1 } as const;
export const NO_CALL = -1;

/** The readable parts of an error that was thrown in the thread. */
export interface ThrownError {
  readonly name?: string | undefined;
  readonly message?: string | undefined;
  readonly stack?: string | undefined;
}

/** The first message from the thread. */
export type LoadAnswer =
  | { readonly functions: readonly LoadedFunction[] }
  | { readonly thrown: ThrownError; readonly isSyntax: boolean };

export interface LoadedFunction {
  readonly name: string;
  readonly source: string;
}

/** An error outside any call. The receiver ends the thread and ignores any further message. */
export interface UncaughtAnswer {
  readonly uncaught: ThrownError;
}

/** A batch of calls, in order. */
export interface CallBatch {
  /** Position of each call's function in the list of loaded functions. */
  readonly functions: readonly number[];
  readonly texts: readonly string[];
  /** The row of each call, as an index into `rows`; `NO_ROW` for a function that cannot access its row. */
  readonly rowOf: readonly number[];
  /** Cells (CSV) or the object (JSON). */
  readonly rows: readonly (readonly string[] | JsonObject)[];
  /** The header of each row, as an index into all headers sent so far; `NO_ROW` for JSON. */
  readonly headerOf: readonly number[];
  readonly newHeaders: readonly (readonly string[])[];
}

export const NO_ROW = -1;

export interface BatchAnswer {
  /**
   * Results of the calls before the first fault, or of the calls whose results fit in one message. A result is
   * undefined if the function returned no value, `null` or `""`.
   */
  readonly values: readonly (JsonValue | undefined)[];
  readonly fault?: Fault | undefined;
  /** Bytes used by the thread's heap and buffers. */
  readonly usedBytes: number;
}

/** Maximum size of one result: the characters of its strings and member names, plus one for each other value. */
export const MAX_CHARACTERS: number = 2 ** 20;

/** The reason why a call has no result. `unreadable`: reading the returned value threw an error. */
export type Fault =
  | { readonly kind: "threw" | "unreadable"; readonly thrown: ThrownError }
  | { readonly kind: "refused"; readonly called: RefusedCall }
  | { readonly kind: "promise" | "not JSON" | "cyclic" | "nested" | "long" };

/**
 * Calls that a function must not make. `fs.close` is blocked only for descriptors that the module has not opened.
 * `process.exit` is not blocked, because it ends only the thread, and the end of the thread is detected.
 */
export type RefusedCall = "process.kill" | "process.abort" | "new Worker" | "fs.close";

/** Default time limit for one call to a mapping function, in seconds. */
export const DEFAULT_FUNCTION_TIMEOUT = 2;
