/** What a line of `--log-format json` can say: its level, and its fields beside `time`, `level` and `event`. */
export const LOG_EVENTS = {
  run_started: {
    level: "info",
    about: "a push or a resumed push has its run; before anything is read or sent",
    fields: ["run", "command", "target", "supplier", "operation"],
  },
  check_progress: {
    level: "info",
    about: "the input is being read and checked",
    fields: ["run", "bytes", "ofBytes", "records", "invalid", "elapsedSeconds"],
  },
  run_planned: {
    level: "info",
    about: "the whole input was checked, and sending begins",
    fields: ["run", "records", "toSend", "counts"],
  },
  send_progress: {
    level: "info",
    about: "records are being sent",
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
    about: "more or fewer requests may be in flight",
    fields: ["run", "limit", "rateLimit", "reason"],
  },
  wait_started: { level: "warning", about: "nothing is sent for a while", fields: ["run", "reason", "forSeconds"] },
  wait_continues: {
    level: "warning",
    about: "the same, every five minutes",
    fields: ["run", "reason", "pauses", "elapsedSeconds"],
  },
  wait_ended: {
    level: "info",
    about: "there was no further pause for half a minute",
    fields: ["run", "reason", "pauses", "elapsedSeconds"],
  },
  supplier_closed: {
    level: "warning",
    about: "an import supplier takes no records; every five minutes while it lasts",
    fields: ["run", "supplier", "code", "nextProbeSeconds"],
  },
  supplier_opened: { level: "info", about: "it takes records again", fields: ["run", "supplier", "elapsedSeconds"] },
  stopping: { level: "info", about: "the first Ctrl-C or SIGTERM", fields: ["inFlight"] },
  run_ended: {
    level: "info",
    about: "no more is read or sent",
    fields: ["run", "state", "exitCode", "counts", "elapsedSeconds"],
  },
  report: {
    level: "info",
    about: "the report is written",
    fields: ["title", "records", "counts", "errors", "warnings", "exitCode", "folder", "next"],
  },
  sandbox_started: { level: "info", about: "the local platform listens", fields: ["baseUrl", "adminUrl", "readyFile"] },
  metrics_started: { level: "info", about: "`--metrics` is served", fields: ["url"] },
  notice: { level: "info", about: "a remark in words", fields: ["message"] },
  detail: { level: "debug", about: "the same, of interest with --verbose", fields: ["message"] },
  failure: { level: "error", about: "why the command ends", fields: ["code", "message", "place", "hint"] },
} as const;

export type LogEvent = keyof typeof LOG_EVENTS;

/** Counts by status or code are objects; what does not apply is left out. */
type FieldValue = string | number | Readonly<Partial<Record<string, number>>> | undefined;

export type LogFields<Event extends LogEvent> = {
  readonly [Field in (typeof LOG_EVENTS)[Event]["fields"][number]]?: FieldValue;
};
