/** The options of the commands that work on a job, a run or its results, by help heading. */
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
    help: "ledger of runs: a file, or postgres://user@host/database (default: .migrate/ledger.db)",
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
    help: "mapping of rows to payloads (none: JSON sources already contain payloads)",
  },
  source: { arg: "<name=path>", kind: "list", help: "files for one source of the mapping (repeatable)" },
  supplier: {
    short: "s",
    arg: "<code>",
    env: true,
    config: true,
    help: "import supplier (${supplier} in the mapping)",
  },
  encoding: {
    arg: "<name>",
    env: true,
    config: true,
    help: "encoding of the sources (default: from the byte order mark, otherwise UTF-8)",
  },
  delimiter: { arg: "<char>", env: true, config: true, help: "delimiter of CSV sources (default: detected)" },
  limit: { arg: "<n>", kind: "number", range: [1], help: "only the first n records" },
  today: { arg: "<date>", kind: "day", env: true, help: 'date to use as "today" in rules, YYYY-MM-DD' },
  only: { arg: "<keys>", kind: "keys", help: "only the records with these business keys, separated by commas" },
} as const;

export const CHECK = {
  maxErrors: { arg: "<n|n%>", kind: "maxErrors", env: true, help: "stop when more records than this are invalid" },
  allowEmpty: { help: "accept an input without records" },
} as const;

/** Options of the commands that check the whole input on several threads. */
export const THREADS = {
  threads: {
    arg: "<auto|n>",
    kind: "threads",
    env: true,
    config: true,
    help: "threads that validate a large input (default: auto, one per processor, 8 at most)",
  },
} as const;

/** Options of the commands that re-import rejects. */
export const REJECTS = {
  rejects: { arg: "<dir>", help: "read the corrected rejects of this report, using the settings of its run" },
  restoreKeys: { help: "with --rejects: restore keys that were changed after export" },
  acceptChanges: { help: "with --rejects: also accept changes to cells that had no error" },
  newKeys: { help: "send new keys that differ from earlier keys only in zeros, case or spaces" },
} as const;

export const REPORT = {
  showValues: { help: "show cell values (default: only their shape)" },
  out: { short: "o", arg: "<dir>", env: true, config: true, help: "folder for outcomes, errors, rejects and summary" },
  testLocations: { help: "with junit: file and line of every test case (invalid in strict schemas)" },
} as const;

export const PLATFORM = {
  target: { short: "t", arg: "<name>", env: true, config: true, help: "target from the configuration file" },
  baseUrl: { arg: "<url>", env: true, help: "base URL of the platform, ending in /v1/" },
  ca: { arg: "<pem>", env: true, help: "certificate authority to trust in addition to the system's" },
  auth: {
    arg: "<form>",
    kind: "authScheme",
    env: true,
    help: "authorization scheme of the token: Token, JWT, Bearer or none; basic sends the API key instead",
  },
  proxy: { arg: "<url>", env: true, help: "proxy for connections to the platform (HTTPS_PROXY is ignored)" },
  allowInsecureLoopback: { help: "allow http:// to this machine, for tests" },
} as const;

export const SENDING = {
  dryRun: { short: "n", help: "do everything except send" },
  revise: { help: "send accepted records again if their content has changed" },
  until: { arg: "<step>", help: "last step of the workflow to run: validate or stage" },
  remoteValidate: { conflicts: ["until"], help: "use only the platform's validation, and create nothing" },
  refreshReferences: { help: "first update the reference list of products from the platform" },
  sendInvalid: { help: "also send records that fail local validation (asks first; see --yes)" },
  concurrency: { arg: "<auto|n>", kind: "concurrency", env: true, help: "maximum requests in flight" },
  rps: { arg: "<n>", kind: "rate", env: true, help: "maximum requests per second" },
  workers: {
    arg: "<n>",
    kind: "number",
    range: [0, 64],
    env: true,
    help: "sending processes on this machine; others can join (needs PostgreSQL, see docs/cluster.md)",
  },
  /** Milliseconds. */
  lease: {
    arg: "<duration>",
    kind: "duration",
    env: true,
    help: "time without a heartbeat after which a worker is considered dead (default: 30s)",
  },
  /** True: no time limit. Otherwise milliseconds. */
  waitForSupplier: {
    arg: "[duration]",
    kind: "duration",
    help: "wait while the import supplier is Paused or Complete (30m, 2h; default: no limit)",
  },
  yes: { short: "y", help: "send to a production target, or send invalid records, without confirmation" },
} as const;

export const METRICS = {
  metrics: {
    arg: "<host:port>",
    kind: "listenAddress",
    env: true,
    help: "serve Prometheus metrics at this address during the run (a port alone: on this machine only)",
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

export const FIELDS = {
  required: { help: "only required fields; with --under, fields required wherever that attr is present" },
  under: { arg: "<attr>", help: "only this attr and its children: customers, payment.bank" },
  search: { arg: "<word>", help: "only fields whose name, rules or description contain this word" },
} as const;

export const DOCTOR = { offline: { help: "skip all checks that need a connection" } } as const;

export const STORE = {
  store: { arg: "<place>", env: true, help: "folder, or s3://bucket (default: the supplier's bucket)" },
  endpoint: { arg: "<url>", env: "AWS_ENDPOINT_URL_S3", help: "address of an S3-compatible store (default: AWS)" },
  region: { arg: "<name>", env: "AWS_REGION", help: "region of the store (default: us-east-1)" },
  concurrency: { arg: "<n>", kind: "number", range: [1, 256], default: 16, help: "concurrent requests to the store" },
} as const;

export const INIT = {
  /** Not the folder of reports, so neither the environment nor the configuration file sets it. */
  out: { short: "o", arg: "<dir>", default: ".", help: "folder for mapping.yaml and migrate.yaml" },
  update: { help: "add missing required fields to the existing mapping, and change nothing else" },
} as const;

export const RECONCILE = {
  accept: { arg: "<key...>", help: "mark these records as accepted without asking the platform" },
  resend: { arg: "<key...>", help: "mark these records as not received: `migrate resume` sends them again" },
  resendAll: {
    arg: "<number>",
    kind: "number",
    range: [1],
    conflicts: ["accept", "resend"],
    help: "confirm that none of these <number> records, ambiguous because of an incomplete journal, was sent",
  },
  /** Milliseconds. */
  quietPeriod: {
    arg: "<duration>",
    kind: "duration",
    help: "time to wait after the last request before querying the platform (90s, 5m; default: twice the longest request, at least 240s)",
  },
} as const;

export const PROOF = {
  all: { help: "all runs that sent records" },
  readBack: { help: "also read accepted records back from the platform" },
} as const;
