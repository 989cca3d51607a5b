import path from "node:path";
import type { FunctionCall } from "../../map/leaf/function-calls.ts";
import { CallFault } from "../../model/call-result.ts";
import { Failure } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";
import { placeOf } from "../../model/record.ts";
import { counted } from "../../text/count.ts";
import { type Fault, MAX_CHARACTERS, type RefusedCall, type ThrownError } from "./function-messages.ts";

export type EndCause =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "timeout"; readonly limitMs: number }
  | { readonly kind: "memory" }
  | { readonly kind: "stopped" }
  /** An error outside any call, from a timer or an unhandled promise rejection. */
  | { readonly kind: "uncaught"; readonly thrown: ThrownError };

export class NotLoaded extends Error {
  readonly isSyntax: boolean;
  constructor(reason: string, isSyntax = false) {
    super(reason);
    this.isSyntax = isSyntax;
  }
}

export function causeOf(error: unknown): EndCause {
  if (!(error instanceof Error)) return { kind: "uncaught", thrown: {} };
  if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") return { kind: "memory" };
  const { name, message, stack } = error;
  return { kind: "uncaught", thrown: { name, message, stack } };
}

interface EndedThread {
  readonly file: string;
  /** The place in the mapping where the file is named. */
  readonly place: Place;
  /** The calls of the pending answer: undefined if no answer was pending, empty while the module was loading. */
  readonly waiting: readonly FunctionCall[] | undefined;
  /** Index of the running call, or `NO_CALL`. */
  readonly call: number;
}

/**
 * Returns a Failure that names the function, or the functions that were called last. While the module was loading,
 * returns `NotLoaded`, or Failure `incomplete` if the user stopped the command.
 */
export function endedFailure(cause: EndCause, { file, place, waiting, call }: EndedThread): Error {
  if (waiting?.length === 0) {
    if (cause.kind === "stopped") return new Failure("incomplete", `stopped while ${file} was being loaded`);
    return new NotLoaded(loadText(cause, file));
  }
  const { text, hint } = endText(cause, file);
  const called = waiting?.[call];
  if (called === undefined) {
    const names = [...new Set(waiting?.map(({ name }) => `"${name}"`))].slice(0, 3).join(", ");
    const subject = `the functions of ${path.basename(file)}${names === "" ? "" : ` (last called: ${names})`}`;
    return new Failure(codeOf(cause), `${subject} ${text}`, { hint, place });
  }
  const row = placeOf(called.row);
  const message = `the function "${called.name}" ${text} on the row at ${row.file}:${row.line}`;
  return new Failure(codeOf(cause), message, { hint, place: called.place });
}

function codeOf({ kind }: EndCause): "incomplete" | "mapping_invalid" {
  return kind === "stopped" ? "incomplete" : "mapping_invalid";
}

function endText(cause: EndCause, file: string): { readonly text: string; readonly hint: string } {
  if (cause.kind === "exited")
    return { text: `ended its thread with exit code ${cause.code}`, hint: "remove process.exit from the function" };
  if (cause.kind === "timeout") {
    const text = `did not return within ${counted(cause.limitMs / 1000, "second")}`;
    return { text, hint: "fix the function, or increase functionTimeout in migrate.yaml" };
  }
  if (cause.kind === "memory")
    return { text: "used too much memory", hint: "use less memory in each call, and keep less data between calls" };
  if (cause.kind === "stopped")
    return {
      text: "was still running when the command was stopped",
      hint: "do less work in each call: a call should take milliseconds",
    };
  const text = `caused an error outside a call${placeInModule(cause.thrown, file)}`;
  return { text, hint: "a function must not start timers or promises that can fail after it returns" };
}

/** The exit code of Node.js for a top-level `await` that never settles. */
const NEVER_SETTLED = 13;

function loadText(cause: EndCause, file: string): string {
  if (cause.kind === "exited" && cause.code === NEVER_SETTLED) return "its top-level await never completes";
  if (cause.kind === "timeout") return `loading it took longer than ${counted(cause.limitMs / 1000, "second")}`;
  return `it ${endText(cause, file).text}`;
}

const RETURNS = "a function must return text, a number, true, false or nothing, or an object or list of these";

/** Describes why a call has no result. Omits the message of an error, because it may quote a cell. */
export function faultOf(fault: Fault, file: string): CallFault {
  if (fault.kind === "threw") return new CallFault(`failed${placeInModule(fault.thrown, file)}`, "fix the function");
  if (fault.kind === "unreadable")
    return new CallFault(`returned an object that cannot be read${placeInModule(fault.thrown, file)}`, RETURNS);
  if (fault.kind === "refused") return new CallFault(`called ${fault.called}`, REMOVE_CALL[fault.called]);
  const hint = fault.kind === "promise" ? `functions are synchronous: ${RETURNS}` : RETURNS;
  return new CallFault(REFUSED[fault.kind], hint);
}

const REMOVE_CALL: Readonly<Record<RefusedCall, string>> = {
  "process.kill": "remove process.kill from the function",
  "process.abort": "remove process.abort from the function",
  "new Worker": "functions cannot start threads: do the work in the function itself",
  "fs.close": "close only files that the function has opened",
};

const REFUSED: Readonly<Record<Exclude<Fault["kind"], "threw" | "unreadable" | "refused">, string>> = {
  promise: "returned a promise",
  "not JSON": "returned a value that is not JSON",
  cyclic: "returned an object that contains itself",
  nested: "returned an object that is too deeply nested",
  long: `returned more than ${MAX_CHARACTERS.toLocaleString("en")} characters`,
};

/**
 * Returns the error's class and the innermost line in the user's own modules, as far as known: ` (TypeError in
 * functions.mjs:3)`.
 */
function placeInModule({ name, stack = "" }: ThrownError, file: string): string {
  const kind = name !== undefined && /^[A-Z]\w{0,40}$/.test(name) ? name : "an error";
  const folder = path.dirname(file);
  const frames = [...stack.matchAll(/(?:file:\/\/|\()?(\/[^\s():]+|[A-Z]:[^\s():]+):(\d+):\d+\)?$/gm)];
  const own = frames.find(([, at = ""]) => at.startsWith(folder) && !at.includes("node_modules"));
  return own === undefined ? ` (${kind})` : ` (${kind} in ${path.relative(folder, own[1] ?? "")}:${own[2]})`;
}
