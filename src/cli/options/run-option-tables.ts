/** Options that do not exist in the library or in the configuration file. */
export const GENERAL = {
  config: {
    short: "c",
    arg: "<file>",
    env: true,
    help: "configuration file (default: migrate.yaml here or in the nearest parent folder)",
  },
  overlay: { arg: "<file>", kind: "paths", help: "overlay for both documents (repeatable)" },
} as const;

export const WEB = {
  port: { arg: "<n>", kind: "number", range: [0, 65_535], default: 0, help: "listening port (0: any free port)" },
  open: { negated: true, help: "do not open a browser" },
} as const;

/** Options of a push that cannot be set in the configuration file. */
export const PUSH = {
  workers: {
    arg: "<n>",
    kind: "number",
    range: [0, 64],
    env: true,
    help: "number of worker processes to start on this machine (needs PostgreSQL, see docs/cluster.md)",
  },
  /** In milliseconds. */
  lease: {
    arg: "<duration>",
    kind: "duration",
    env: true,
    help: "heartbeat timeout of workers (2s to 24h, default: 30s)",
  },
  /** `true` waits without a time limit; a number limits the wait, in milliseconds. */
  waitForSupplier: {
    arg: "[duration]",
    kind: "duration",
    help: "wait while the import supplier is Paused or Complete, for at most this long (such as 30m or 2h; no limit if omitted)",
  },
  wait: { help: "at the start, keep trying to reach the platform for 5 minutes (default: up to 30 s)" },
  yes: { short: "y", help: "send to a production target, or send invalid records, without confirmation" },
} as const;

export const METRICS = {
  metrics: {
    arg: "<host:port>",
    kind: "listenAddress",
    env: true,
    help: "serve Prometheus metrics at this address during the run (without a host, only this machine can connect)",
  },
  metricsFile: { arg: "<path>", env: true, help: "write the metrics to this file, for a textfile collector" },
} as const;

export const MESSAGES = {
  quiet: { short: "q", help: "write only failures to stderr" },
  verbose: { short: "v", help: "write more messages to stderr" },
  color: { negated: true, help: "disable colours" },
  logFormat: {
    arg: "<format>",
    choices: ["text", "json"],
    default: "text",
    env: true,
    help: "format of the messages on stderr",
  },
} as const;

export const OPEN = {
  format: { arg: "<format>", choices: ["text", "csv", "ndjson"], default: "text", help: "format of stdout" },
  by: {
    arg: "<group>",
    choices: ["owner", "cause", "file", "day"],
    help: "count the records by this property instead of listing them",
  },
  since: { arg: "<date>", kind: "day", help: "only records that became open on this day (UTC) or later" },
} as const;

export const STATUS = {
  watch: { help: "refresh every two seconds while a shown run is active" },
  by: {
    arg: "<group>",
    choices: ["owner", "cause", "file", "day"],
    conflicts: ["watch"],
    help: "count the open records of all runs by this property (with owner, also the exported and returned records)",
  },
  since: {
    arg: "<date>",
    kind: "day",
    help: "with --by cause, file or day: only records that became open on this day (UTC) or later",
  },
} as const;

export const REPORT_AGAIN = {
  drift: {
    help: "show the differences between platform and local validation in one run or all runs, and propose rules",
  },
  all: { conflicts: ["drift", "byOwner"], help: "report on the whole migration: state, progress, causes, runs" },
  byOwner: { conflicts: ["drift"], help: "write one report folder for each owner, with the owner's rejects" },
} as const;

export const CORRECTIONS = {
  in: {
    arg: "<source>",
    conflicts: ["rejects"],
    help: "source that contains the cell (default: the root source)",
  },
  line: {
    arg: "<n>",
    kind: "number",
    range: [1],
    conflicts: ["rejects"],
    help: "line of the row, if several rows have the key",
  },
  reason: { arg: "<text>", help: "reason for the correction" },
  from: {
    arg: "<file>",
    conflicts: ["rejects", "in", "line", "reason"],
    help: "CSV or NDJSON file with key, column, value, and optionally source, line, reason",
  },
} as const;

export const FIELDS = {
  required: { help: "only required fields; with --under, the fields required if that attr is present" },
  under: { arg: "<attr>", help: "only this attr (such as payment.bank) and its children" },
  search: {
    arg: "<word>",
    help: "only fields with this text in their attr, type, rules, codes, description or condition",
  },
} as const;

export const DOCTOR = { offline: { help: "skip the checks that connect to the platform" } } as const;

export const DOCUMENTS = {
  concurrency: { arg: "<n>", kind: "number", range: [1, 256], default: 16, help: "concurrent requests to the store" },
} as const;

export const INIT = {
  /**
   * The output folder of `init`, not the report folder. The environment and the configuration file therefore do not set
   * it.
   */
  out: { short: "o", arg: "<dir>", default: ".", help: "folder for mapping.yaml and migrate.yaml" },
  root: { arg: "<source>", help: "source whose rows are the records (default: guessed)" },
  key: { arg: "<column>", help: "column of the root source that identifies a record (default: guessed)" },
  update: {
    conflicts: ["root", "key"],
    help: "only add missing required fields to the existing mapping",
  },
} as const;

export const RESUME = {
  skipCanary: { help: "send all records, even if the canary records were not accepted" },
} as const;

export const RECONCILE = {
  accept: { arg: "<key...>", help: "mark as accepted without querying the platform" },
  resend: { arg: "<key...>", help: "mark as not received, so that `migrate resume` sends them again" },
  resendAll: {
    arg: "<number>",
    kind: "number",
    range: [1],
    conflicts: ["accept", "resend"],
    help: "apply --resend to all <number> records that have no known request or were found absent",
  },
  acceptFound: {
    conflicts: ["accept", "resend", "resendAll"],
    help: "accept the records that the platform has, even if only their keys can be compared",
  },
  /** In milliseconds. */
  quietPeriod: {
    arg: "<duration>",
    kind: "duration",
    conflicts: ["accept", "resend", "resendAll"],
    help: "time to wait after the last request without a clear reply (default: timeouts.quietSeconds)",
  },
} as const;

export const EXCLUDE = {
  from: { arg: "<file>", help: "file with one key per line, or a table with a key column" },
  reason: { arg: "<text>", help: "reason for the exclusion", conflicts: ["undo"] },
  undo: { help: "end the exclusion, so that pushes no longer omit the records" },
} as const;

export const COMPARE = {
  format: { arg: "<format>", choices: ["text", "csv", "ndjson"], default: "text", help: "format of stdout" },
  all: { help: "all runs that sent records" },
  unverified: { help: "only records not compared since they were accepted" },
} as const;

export const CHANGES = {
  format: { arg: "<format>", choices: ["text", "csv", "ndjson"], default: "text", help: "format of stdout" },
} as const;

export const PROOF = {
  all: { help: "all runs that sent records" },
  readBack: { help: "also read accepted records back from the platform" },
} as const;
