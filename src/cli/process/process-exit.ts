import { BUG_EXIT_CODE, Failure } from "../../model/failure.ts";
import { formatPlace } from "../../model/place.ts";
import { shapeOf } from "../../text/shape.ts";
import { SecondSignal } from "./interrupts.ts";
import type { Logger } from "./logger.ts";
import { sourceFrames } from "./source-frames.ts";
import { limitFailure } from "../../runtime/system-limits.ts";

/** Logs why the process ends. Returns its exit code. */
export function logExit(error: unknown, logger: Pick<Logger, "failure">): number {
  if (error instanceof SecondSignal) return error.exitCode;
  const failure = limitFailure(error) ?? (error instanceof Failure ? error : undefined);
  if (failure !== undefined) {
    logFailure(failure, logger);
    return failure.exitCode;
  }
  logger.failure({ code: "bug", message: "this is a bug in migrate", hint: stackWithoutValues(error) });
  return BUG_EXIT_CODE;
}

/** Logs what happened, where, and how to fix it. */
export function logFailure({ code, message, hint, place }: Failure, logger: Pick<Logger, "failure">): void {
  logger.failure({
    code,
    message,
    ...(place && !message.startsWith(`${place.file}:`) && { place: formatPlace(place) }),
    ...(hint !== undefined && { hint }),
  });
}

/** Messages of Node.js may quote input values, so text in quotation marks is replaced by its shape. */
function stackWithoutValues(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} thrown`;
  const message = error.message.replaceAll(/(["'`])(.*?)\1/gs, (_, mark, quoted) => `${mark}${shapeOf(quoted)}${mark}`);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${message}`, ...sourceFrames(frames.map((line) => line.trim()))].join("\n");
}
