import { printableJson } from "../../terminal/safe-json.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { timestamp } from "../../time/clock.ts";
import type { Flags } from "../options/options.ts";

/** Messages to stderr. stdout is for data. */
export interface Logger {
  /** Worth knowing: a detected delimiter, a change of the rate. */
  readonly notice: (text: string) => void;
  /** Only with --verbose. */
  readonly detail: (text: string) => void;
  /** Why the run ends: written whatever the flags are. */
  readonly failure: (message: FailureMessage) => void;
  /** Lines of plain text, such as the summary. */
  readonly lines: (text: string) => void;
}

interface FailureMessage {
  readonly code: string;
  readonly message: string;
  readonly place?: string;
  readonly hint?: string;
}

export interface LoggerOptions {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly logFormat: "text" | "json";
  readonly write: (text: string) => void;
  /** Milliseconds since 1970, for the timestamps of JSON lines. */
  readonly now: () => number;
}

/** As the flags ask for it, on stderr. */
export function loggerOptionsOf(flags: Pick<Flags, "quiet" | "verbose" | "logFormat">): LoggerOptions {
  return {
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
    logFormat: flags.logFormat ?? "text",
    write: (text) => process.stderr.write(text),
    now: Date.now,
  };
}

export function createLogger(options: LoggerOptions): Logger {
  const log = (level: string, text: string, more: object = {}): void => {
    if (options.logFormat === "text") options.write(`${plainText(text)}\n`);
    else options.write(`${printableJson({ at: timestamp(options), level, text, ...more })}\n`);
  };
  return {
    notice: (text) => {
      if (!options.quiet) log("notice", text);
    },
    detail: (text) => {
      if (options.verbose && !options.quiet) log("detail", text);
    },
    failure: ({ message, place, hint, code }) => {
      if (options.logFormat === "json") return log("failure", message, { code, place, hint });
      const below = [...(place ? [`at ${place}`] : []), ...(hint?.split("\n") ?? [])].map((each) => `  ${each}`);
      const lines = [...`migrate: ${message}`.split("\n"), ...below];
      options.write(lines.map((each) => `${plainText(each)}\n`).join(""));
    },
    lines: (text) => {
      if (options.quiet) return;
      if (options.logFormat === "json") for (const each of text.split("\n").filter(Boolean)) log("summary", each);
      else options.write(text);
    },
  };
}
