import { BUG } from "../model/exit-code.ts";
import { Failure } from "../model/failure.ts";
import { formatPlace } from "../model/place.ts";
import { shapeOf } from "../model/shape.ts";
import { SecondSignal } from "./interrupts.ts";
import type { Talk } from "./talk.ts";

/** Says on stderr why the process ends, and gives the exit code for that. */
export function sayEnd(error: unknown, talk: Pick<Talk, "failure">): number {
  if (error instanceof SecondSignal) return error.exitCode;
  const failure = error instanceof Failure ? error : tooFewFiles(error);
  if (failure !== undefined) {
    sayFailure(failure, talk);
    return failure.exitCode;
  }
  talk.failure({ code: "bug", message: "this is a bug in migrate", hint: stackOf(error) });
  return BUG;
}

/** The system's limit is met anywhere, even where the program loads its own parts. */
function tooFewFiles(error: unknown): Failure | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (code !== "EMFILE" && code !== "ENFILE") return undefined;
  return new Failure("storage", `the system lets this program open too few files at once (${code})`, {
    hint: "raise the limit (`ulimit -n 1024`), then run the same command again",
    cause: error,
  });
}

/** What, where, what to do. */
export function sayFailure({ code, message, hint, place }: Failure, talk: Pick<Talk, "failure">): void {
  talk.failure({
    code,
    message,
    ...(place && !message.startsWith(`${place.file}:`) && { place: formatPlace(place) }),
    ...(hint !== undefined && { hint }),
  });
}

/** Messages of the runtime quote what they stumbled over, which may be a cell: what stands in quotes loses its letters. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} thrown`;
  const message = error.message.replaceAll(/(["'`])(.*?)\1/gs, (_, mark, quoted) => `${mark}${shapeOf(quoted)}${mark}`);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${message}`, ...frames.map((line) => line.trim())].join("\n");
}
