import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";
import { BUG_EXIT_CODE, Failure, failureDetails } from "../../model/failure.ts";
import { limitFailure } from "../../runtime/system-limits.ts";
import { shapeOf } from "../../text/shape.ts";
import { SecondSignal } from "./interrupts.ts";
import type { FailureLogger } from "./logger.ts";

/** Logs the reason why the process ends. Returns its exit code. */
export function logExit(error: unknown, logger: FailureLogger): number {
  if (error instanceof SecondSignal) return error.exitCode;
  const failure = limitFailure(error) ?? (error instanceof Failure ? error : undefined);
  if (failure !== undefined) {
    logger.failure(failureDetails(failure));
    return failure.exitCode;
  }
  logger.failure({ code: "bug", message: "this is a bug in migrate", hint: stackWithoutValues(error) });
  return BUG_EXIT_CODE;
}

/**
 * Returns the name, message and stack of an error. Replaces quoted text in the message with its shape, because error
 * messages of Node.js may quote input values.
 */
function stackWithoutValues(error: unknown): string {
  if (!(error instanceof Error)) return `${typeof error} thrown`;
  const message = error.message.replaceAll(/(["'`])(.*?)\1/gs, (_, mark, quoted) => `${mark}${shapeOf(quoted)}${mark}`);
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [`${error.name}: ${message}`, ...sourceFrames(frames.map((line) => line.trim()))].join("\n");
}

/**
 * Maps stack frames of the bundle (`at send (file:///.../upload-CkT8.js:27:9)`) to the source files (`at send
 * (src/upload/upload.ts:12:3)`). Returns a frame unchanged if the source map of its file has no entry for it.
 */
export function sourceFrames(frames: readonly string[]): readonly string[] {
  const maps = new Map<string, SourceMap | undefined>();
  return frames.map((frame) => {
    const [, url = "", line = "", column = ""] = BUNDLED.exec(frame) ?? [];
    if (url === "") return frame;
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry) || !entry.originalSource) return frame;
    const file = entry.originalSource.replace(/^(?:\.\.\/)+/, "");
    return frame.replace(`${url}:${line}:${column}`, `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`);
  });
}

const BUNDLED = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;

/**
 * Returns the source map of a file; undefined if it is missing or unreadable. A stack trace must not cause a second
 * error.
 */
function mapOf(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
