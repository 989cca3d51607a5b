import type { Notifier } from "../../job/dependencies.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import type { ErrorDetails } from "../../model/failure.ts";
import { plainText } from "../../text/plain-text.ts";
import { timestamp } from "../../time/clock.ts";
import type { Flags } from "../options/options.ts";
import type { Session } from "./session.ts";
import { LOG_EVENTS, type LogEvent, type LogFields } from "../progress/log-events.ts";

/** Writes messages to stderr, because stdout is for data. */
export interface Logger extends FailureLogger {
  /** Logs an event as a JSON line with its fields, or as text. An event without text appears only in JSON. */
  readonly event: <Event extends LogEvent>(event: Event, fields: LogFields<Event>, text?: string) => void;
  /** Logs useful information, such as a detected delimiter or a changed rate. No flag suppresses an alert. */
  readonly notice: Notifier["notice"];
  /** Logs a detail that is shown only with `--verbose`. */
  readonly detail: (text: string) => void;
  /** Logs an event with several lines of text, such as the summary. Writes the lines unchanged. */
  readonly lines: <Event extends LogEvent>(text: string, event: Event, fields: LogFields<Event>) => void;
}

export interface FailureLogger {
  /** Logs the failure that ends the command. No flag suppresses it. */
  readonly failure: (details: ErrorDetails) => void;
}

export interface LoggerOptions {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly logFormat: "text" | "json";
  readonly write: (text: string) => void;
  /** Milliseconds since 1970, for the timestamps of JSON lines. */
  readonly now: () => number;
}

export function loggerFor(
  { quiet = false, verbose = false, logFormat = "text" }: Flags,
  { stderr, clock }: Session,
): Logger {
  return createLogger({ quiet, verbose, logFormat, write: (text) => void stderr.write(text), now: clock.now });
}

export function createLogger(options: LoggerOptions): Logger {
  const isJson = options.logFormat === "json";
  const isWanted = (event: LogEvent): boolean => {
    const { level } = LOG_EVENTS[event];
    return level === "error" || (!options.quiet && (level !== "debug" || options.verbose));
  };
  const writeJson = (event: LogEvent, fields: object): void => {
    const { level } = LOG_EVENTS[event];
    options.write(`${printableJson({ time: timestamp(options), level, event, ...fields })}\n`);
  };
  const log: Logger["event"] = (event, fields, text) => {
    if (!isWanted(event)) return;
    if (isJson) writeJson(event, fields);
    else if (text !== undefined) options.write(`${plainText(text)}\n`);
  };
  return {
    event: log,
    notice: (message, urgency) => log(urgency ?? "notice", { message }, message),
    detail: (message) => log("detail", { message }, message),
    failure: ({ message, place, hint, code }) => {
      if (isJson) return writeJson("failure", { code, message, place, hint });
      const below = [...(place ? [`at ${place}`] : []), ...(hint?.split("\n") ?? [])].map((each) => `  ${each}`);
      // Only an indented line is part of a list. Any other line break comes from a file name.
      const lines = [...`migrate: ${message}`.split(/\n(?= {2})/), ...below];
      options.write(lines.map((each) => `${plainText(each)}\n`).join(""));
    },
    lines: (text, event, fields) => {
      if (!isWanted(event)) return;
      if (isJson) writeJson(event, fields);
      else options.write(text);
    },
  };
}
