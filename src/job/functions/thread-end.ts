import path from "node:path";
import type { FunctionCall } from "../../map/leaf/function-calls.ts";
import { Failure } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";
import { placeOf } from "../../model/record.ts";
import { counted } from "../../text/count.ts";
import { placeInModule } from "./function-faults.ts";
import type { ThrownError } from "./function-messages.ts";

export type EndCause =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "timeout"; readonly limitMs: number }
  | { readonly kind: "memory" }
  | { readonly kind: "stopped" }
  /** An error outside any call: of a timer, or of an unhandled promise. */
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
  /** Where the mapping names the file. */
  readonly place: Place;
  /** The calls of the pending answer: undefined if none was pending, empty while the module was loading. */
  readonly waiting: readonly FunctionCall[] | undefined;
  /** Index of the running call. */
  readonly call: number;
}

/** A Failure that names the function, or `NotLoaded`. */
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
  if (cause.kind === "memory") return { text: "used too much memory", hint: "store less data between calls" };
  if (cause.kind === "stopped")
    return {
      text: "was still running when the command was stopped",
      hint: "shorten the work of one call: it should take milliseconds",
    };
  const text = `caused an error outside a call${placeInModule(cause.thrown, file)}`;
  return { text, hint: "a function must not start timers or promises that can fail after it returns" };
}

/** Exit code of a thread whose top-level promise can never settle. */
const NEVER_SETTLED = 13;

function loadText(cause: EndCause, file: string): string {
  if (cause.kind === "exited" && cause.code === NEVER_SETTLED) return "its top-level await never ends";
  if (cause.kind === "timeout") return `loading it took longer than ${counted(cause.limitMs / 1000, "second")}`;
  return `it ${endText(cause, file).text}`;
}
