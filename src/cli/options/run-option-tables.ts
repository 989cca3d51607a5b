/** The options of the commands that work on a job, on a run or on what it left, by the headings of their help. */
export const GENERAL = {
  config: {
    short: "c",
    arg: "<file>",
    env: true,
    help: "configuration file (default: migrate.yaml, searched upwards)",
  },
  ledger: {
    arg: "<path|url>",
    env: true,
    config: true,
    help: "where runs are remembered: a file, or postgres://user@host/database (default: .migrate/ledger.db)",
  },
  overlay: { arg: "<file>", kind: "list", help: "overlay for both documents (repeatable)" },
} as const;

export const CONTRACT = {
  contract: {
    arg: "<file>",
    kind: "list",
    env: true,
    config: true,
    help: "OpenAPI document, then overlays in order (repeatable)",
  },
  cache: { negated: true, help: "compile the contract without the cache" },
  operation: { arg: "<id>", env: true, config: true, help: 'operation id, or "METHOD path"' },
} as const;

export const INPUT = {
  mapping: {
    short: "m",
    arg: "<file>",
    env: true,
    config: true,
    help: "how rows become payloads (none: JSON sources are payloads already)",
  },
  source: { arg: "<name=path>", kind: "list", help: "files of one source of the mapping (repeatable)" },
  supplier: { short: "s", arg: "<code>", env: true, config: true, help: "import supplier, ${supplier} in the mapping" },
  encoding: {
    arg: "<name>",
    env: true,
    config: true,
    help: "encoding of the sources (default: UTF-8, or by byte order mark)",
  },
  delimiter: { arg: "<char>", env: true, config: true, help: "delimiter of CSV sources (default: detected)" },
  limit: { arg: "<n>", kind: "number", range: [1], help: "only the first n records" },
  today: { arg: "<date>", kind: "day", env: true, help: "the day that rules take for today, YYYY-MM-DD" },
  only: { arg: "<keys>", kind: "keys", help: "only the records with these business keys, separated by commas" },
} as const;

export const CHECK = {
  maxErrors: { arg: "<n|n%>", kind: "maxErrors", env: true, help: "stop when more records than this are invalid" },
  allowEmpty: { help: "an input without records is fine" },
} as const;

/** Of the commands that check the whole input with all that there is. */
export const THREADS = {
  threads: {
    arg: "<auto|n>",
    kind: "threads",
    env: true,
    config: true,
    help: "threads that check a large input (default: auto, one a processor, 8 at most)",
  },
} as const;

/** Of the commands that take rejects back. */
export const REJECTS = {
  rejects: { arg: "<dir>", help: "read the corrected rejects of this report, with the settings of its run" },
  restoreKeys: { help: "with --rejects: give keys that have changed since their old values back" },
  acceptChanges: { help: "with --rejects: take also what has changed without an error" },
  newKeys: { help: "send new keys that are almost keys of records sent before (zeros, case, spaces)" },
} as const;

export const REPORT = {
  showValues: { help: "show the values of cells (default: their shape)" },
  out: { short: "o", arg: "<dir>", env: true, config: true, help: "folder for outcomes, errors, rejects and summary" },
  testLocations: { help: "junit: file and line on every test case (strict schemas refuse them)" },
} as const;

export const PLATFORM = {
  target: { short: "t", arg: "<name>", env: true, config: true, help: "target of the configuration file" },
  baseUrl: { arg: "<url>", env: true, help: "the platform's base address, ending in /v1/" },
  ca: { arg: "<pem>", env: true, help: "certificate authority to trust beside the usual ones" },
  auth: {
    arg: "<form>",
    kind: "authScheme",
    env: true,
    help: "what stands before the token: Token, JWT, Bearer, none; or basic: the key, no token",
  },
  proxy: { arg: "<url>", env: true, help: "proxy to go through; HTTPS_PROXY of the environment is not used" },
  allowInsecureLoopback: { help: "let http:// to this machine pass, for tests" },
} as const;

export const SENDING = {
  dryRun: { short: "n", help: "everything but the sending" },
  revise: { help: "send accepted records again whose content has changed" },
  until: { arg: "<step>", help: "stop after this step of the workflow: validate or stage" },
  remoteValidate: { conflicts: ["until"], help: "create nothing: only ask the platform's own validation" },
  refreshReferences: { help: "first write the reference list of products anew, from the platform" },
  sendInvalid: { help: "send also what is invalid here, and let the platform judge (asks first; see --yes)" },
  concurrency: { arg: "<auto|n>", kind: "concurrency", env: true, help: "requests in flight" },
  rps: { arg: "<n>", kind: "rate", env: true, help: "most requests a second" },
  workers: {
    arg: "<n>",
    kind: "number",
    range: [0, 64],
    env: true,
    help: "processes that send, here; others may join (ledger on PostgreSQL; docs/cluster.md)",
  },
  /** Milliseconds. */
  lease: {
    arg: "<duration>",
    kind: "duration",
    env: true,
    help: "without a word for so long, a worker counts as dead (default: 30s)",
  },
  /** True: as long as it takes; otherwise milliseconds. */
  waitForSupplier: {
    arg: "[duration]",
    kind: "duration",
    help: "wait while the import supplier is Paused or Complete (30m, 2h; default: as long as it takes)",
  },
  yes: { short: "y", help: "send to a production target, or what is invalid, without asking" },
} as const;

export const METRICS = {
  metrics: {
    arg: "<host:port>",
    kind: "listenAddress",
    env: true,
    help: "serve Prometheus metrics there while it runs (a port alone: on this machine only)",
  },
  metricsFile: { arg: "<path>", env: true, help: "keep the same in this file, for a textfile collector" },
} as const;

export const MESSAGES = {
  quiet: { short: "q", help: "write only failures to stderr" },
  verbose: { short: "v", help: "write more messages to stderr" },
  color: { negated: true, help: "no colours" },
  logFormat: {
    arg: "<format>",
    choices: ["text", "json"],
    default: "text",
    env: true,
    help: "form of the messages on stderr",
  },
} as const;

export const FIELDS = {
  required: { help: "only what every payload has to hold; with --under, whatever holds that" },
  under: { arg: "<attr>", help: "only this attr and what it holds: customers, payment.bank" },
  search: { arg: "<word>", help: "only fields with this word in their name, rules or description" },
} as const;

export const DOCTOR = { offline: { help: "open no connection" } } as const;

export const STORE = {
  store: { arg: "<place>", env: true, help: "a folder, or s3://bucket (default: the supplier's bucket)" },
  endpoint: { arg: "<url>", env: "AWS_ENDPOINT_URL_S3", help: "address of an S3-compatible store (default: AWS)" },
  region: { arg: "<name>", env: "AWS_REGION", help: "region of the store (default: us-east-1)" },
  concurrency: { arg: "<n>", kind: "number", range: [1, 256], default: 16, help: "questions to the store at once" },
} as const;

export const INIT = {
  /** Not the folder of reports: neither the environment nor the configuration file sets it. */
  out: { short: "o", arg: "<dir>", default: ".", help: "folder for mapping.yaml and migrate.yaml" },
  update: { help: "add to the mapping that is there the required fields that it lacks, and change nothing else" },
} as const;

export const RECONCILE = {
  accept: { arg: "<key...>", help: "these records have arrived: settled by you, without asking the platform" },
  resend: { arg: "<key...>", help: "these records have not: `migrate resume` sends them again" },
  resendAll: {
    arg: "<number>",
    kind: "number",
    range: [1],
    conflicts: ["accept", "resend"],
    help: "confirm that none of this number of records was sent, where an incomplete journal made them ambiguous",
  },
  /** Milliseconds. */
  quietPeriod: {
    arg: "<duration>",
    kind: "duration",
    help: "time without a request before the platform is asked (90s, 5m; default: twice the longest request, 240s at least)",
  },
} as const;

export const PROOF = {
  all: { help: "every run of the ledger that sent something" },
  readBack: { help: "ask the platform for what was accepted, too" },
} as const;
