/** Events of `--log-format json`, with their level, and their fields other than `time`, `level` and `event`. */
export const LOG_EVENTS = {
  run_started: {
    level: "info",
    about: "a push, resume or reconcile has started; it has not read or sent a record yet",
    fields: ["run", "command", "target", "supplier", "operation"],
  },
  check_progress: {
    level: "info",
    about: "progress while the input is read and validated",
    fields: ["run", "bytes", "ofBytes", "records", "invalid", "elapsedSeconds"],
  },
  run_planned: {
    level: "info",
    about: "the whole input has been validated, and sending starts, except in a dry run",
    fields: ["run", "records", "toSend", "new", "changed", "unchanged", "counts"],
  },
  send_progress: {
    level: "info",
    about: "progress while records are sent",
    fields: [
      "run",
      "total",
      "sent",
      "counts",
      "rate",
      "inFlight",
      "limit",
      "rateLimit",
      "etaSeconds",
      "waitingFor",
      "elapsedSeconds",
    ],
  },
  pace_changed: {
    level: "debug",
    about: "the concurrency limit or rate limit has changed",
    fields: ["run", "limit", "rateLimit", "reason"],
  },
  wait_started: { level: "warning", about: "sending is paused", fields: ["run", "reason", "forSeconds"] },
  wait_continues: {
    level: "warning",
    about: "sending still pauses from time to time; repeated at most every five minutes",
    fields: ["run", "reason", "pauses", "elapsedSeconds"],
  },
  wait_ended: {
    level: "info",
    about: "sending has continued for 30 seconds without a pause",
    fields: ["run", "reason", "pauses", "elapsedSeconds"],
  },
  supplier_closed: {
    level: "warning",
    about: "an import supplier accepts no records; repeated at most every five minutes",
    fields: ["run", "supplier", "code", "nextProbeSeconds"],
  },
  supplier_opened: {
    level: "info",
    about: "the import supplier accepts records again",
    fields: ["run", "supplier", "elapsedSeconds"],
  },
  stopping: { level: "info", about: "the first Ctrl-C, SIGTERM or SIGHUP was received", fields: ["inFlight"] },
  run_ended: {
    level: "info",
    about: "the run has ended; nothing more is sent",
    fields: ["run", "state", "exitCode", "counts", "elapsedSeconds"],
  },
  report: {
    level: "info",
    about: "the report has been written",
    fields: ["title", "records", "counts", "errors", "warnings", "exitCode", "folder", "next"],
  },
  web_started: {
    level: "info",
    about: "the web pages are available at the URL, which contains a secret token",
    fields: ["url"],
  },
  sandbox_started: { level: "info", about: "the sandbox is listening", fields: ["baseUrl", "adminUrl", "readyFile"] },
  metrics_started: { level: "info", about: "the metrics are available at the URL", fields: ["url"] },
  notice: { level: "info", about: "a message for the user", fields: ["message"] },
  alert: {
    level: "error",
    about: "a message that requires action by the user; the command continues",
    fields: ["message"],
  },
  detail: { level: "debug", about: "a message shown with --verbose", fields: ["message"] },
  failure: {
    level: "error",
    about: "the command, or a part of it, has failed",
    fields: ["code", "message", "place", "hint"],
  },
} as const;

export type LogEvent = keyof typeof LOG_EVENTS;

/**
 * The value of a field. Counts by status or code are objects. A field that does not apply is undefined and is omitted.
 */
type FieldValue = string | number | Readonly<Partial<Record<string, number>>> | undefined;

export type LogFields<Event extends LogEvent> = {
  readonly [Field in (typeof LOG_EVENTS)[Event]["fields"][number]]?: FieldValue;
};
