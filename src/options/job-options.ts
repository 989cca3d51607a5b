import type { LibraryOptions, RecordedValues } from "./option-row.ts";

/** Options for the contract. The options of each table have a heading in `--help`. */
export const CONTRACT = {
  /** The OpenAPI document followed by its overlays; `overlay:gb` names a bundled one. */
  contract: {
    arg: "<file>",
    kind: "paths",
    env: true,
    file: true,
    library: "required",
    recorded: "always",
    reimport: true,
    help: "OpenAPI document, then overlays in order (repeatable)",
    docs: "the OpenAPI document of the platform, then overlays in order: a path or a list of paths ([contract.md](contract.md))",
  },
  cache: { negated: true, help: "compile the contract without the cache" },
  /** Operation id or `METHOD path`; required unless the mapping names it or the contract has only one operation. */
  operation: {
    arg: "<id>",
    env: true,
    file: true,
    library: true,
    recorded: true,
    reimport: true,
    help: 'operation id, or "METHOD path"',
    docs: "the operation that receives the records: its id, or `METHOD path`; default: the operation of the mapping, or the only operation with a key",
  },
} as const;

export const INPUT = {
  /** Default: none; the sources are then already payloads. */
  mapping: {
    short: "m",
    arg: "<file>",
    kind: "path",
    env: true,
    file: true,
    library: true,
    recorded: true,
    reimport: true,
    help: "mapping of rows to payloads (omit it if JSON sources already contain payloads)",
    docs: "how rows become payloads ([mapping.md](mapping.md)); without a mapping, JSON sources must contain payloads",
  },
  source: { arg: "<name=path>", kind: "paths", help: "files for one source of the mapping (repeatable)" },
  /** Code of the import supplier. */
  supplier: {
    short: "s",
    arg: "<code>",
    env: true,
    file: true,
    library: true,
    recorded: true,
    reimport: true,
    help: "import supplier (${supplier} in the mapping)",
    docs: "the code of the import supplier: `${supplier}` in the mapping, and part of the identity of every record",
  },
  encoding: {
    arg: "<name>",
    env: true,
    file: true,
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: "encoding of the sources (default: from the byte order mark, otherwise UTF-8)",
    docs: "the encoding of sources without a byte order mark; default UTF-8",
  },
  delimiter: {
    arg: "<char>",
    env: true,
    file: true,
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: "delimiter of CSV sources (default: detected)",
    docs: "the delimiter of CSV sources; default: detected from the header",
  },
  /** Cell corrections, which are applied while the sources are read. */
  corrections: {
    arg: "<file>",
    kind: "path",
    env: true,
    file: true,
    library: true,
    recorded: true,
    conflicts: ["rejects"],
    help: "corrections file to apply to the cells of the sources",
    docs: "the file of [corrections](corrections.md) that are applied to cells while the sources are read",
  },
  /** Maximum number of records. */
  limit: {
    arg: "<n>",
    kind: "number",
    range: [1],
    library: true,
    recorded: true,
    selects: true,
    help: "only the first n records",
  },
  /** `YYYY-MM-DD`: date to use as "today" in rules. */
  today: {
    arg: "<date>",
    kind: "day",
    env: true,
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: 'date to use as "today" in rules, YYYY-MM-DD',
  },
  /** Only the records with these business keys. */
  only: {
    arg: "<keys>",
    kind: "keys",
    library: true,
    recorded: true,
    selects: true,
    help: "only these business keys, separated by commas",
  },
} as const;

/** Settings of a job that no flag sets. */
export const SETTINGS = {
  /** Paths and patterns for the only source of the mapping without `files`, or otherwise for the source without a parent. */
  sources: { flag: false, kind: "paths", library: true, recorded: "always" },
  /** Paths and patterns for sources of the mapping, by name. */
  namedSources: { flag: false, kind: "listsByName", library: true, recorded: "always" },
  /** Document roots by code of the supplier; `documentRoot` applies to all other suppliers. */
  documentRoots: { flag: false, kind: "textsByName", library: true, recorded: true },
  documentRoot: {
    flag: false,
    kind: "text",
    file: true,
    library: true,
    recorded: true,
    help: "document root for suppliers without a rootLocation",
    docs: "the document root for suppliers that have no `rootLocation` of their own",
  },
  /** Settings of the platform instance that rules depend on. */
  rules: {
    flag: false,
    kind: "ruleSettings",
    file: true,
    library: true,
    recorded: true,
    help: "instance settings used by rules",
    docs: "settings of the instance, as name and value, used by rules over several fields and by contracts that choose between schemas ([rules.md](rules.md#settings))",
  },
  /** Reference lists: name and file. */
  references: {
    flag: false,
    kind: "pathsByName",
    file: true,
    library: true,
    recorded: true,
    help: "reference lists: name and file",
    docs: "reference lists for rules: name and file ([rules.md](rules.md#reference-lists)); `push --refresh-references` rewrites the list of `products`",
  },
  /** Time limit for one call of a mapping function, in seconds: 0.1 to 3600, default 2. */
  functionTimeout: {
    flag: false,
    kind: "seconds",
    range: [0.1, 3600],
    file: true,
    library: true,
    recorded: true,
    help: "time limit for one call of a mapping function, in seconds",
    docs: "time limit for one call of a mapping [function](mapping.md#functions), in seconds, 0.1 to 3600; default 2. Loading the module may take 10 times as long",
  },
} as const;

/** The options that determine the records of a run. */
export const JOB: typeof CONTRACT & typeof INPUT & typeof SETTINGS = { ...CONTRACT, ...INPUT, ...SETTINGS };

/**
 * The contract, mapping and sources that define the records. The options correspond to settings of `migrate.yaml`,
 * which the library does not read.
 */
export interface JobOptions extends LibraryOptions<typeof JOB> {}

export const CHECK = {
  /** Maximum number of invalid records: a count, or a share (0 to 1) of all. */
  maxErrors: {
    arg: "<n|n%>",
    kind: "maxErrors",
    env: true,
    library: true,
    recorded: true,
    help: "maximum number or share of invalid records before the run stops",
  },
  /** Allow an input without records. */
  allowEmpty: { library: true, recorded: true, help: "accept an input without records" },
} as const;

export interface CheckOptions extends LibraryOptions<typeof CHECK> {}

/** Options of the commands that check the whole input on several threads. */
export const THREADS = {
  /** Number of validation threads. Default `auto`: one per processor, at most 8, if the input is large enough. */
  threads: {
    arg: "<auto|n>",
    kind: "threads",
    env: true,
    file: true,
    library: true,
    recorded: true,
    help: "number of threads for large inputs (default: one per processor, at most 8)",
    docs: "number of threads that read, map and validate the input of `validate` and `push`; also controls the thread that writes the ledger of a push, see [Threads](#threads); default `auto`",
  },
} as const;

export interface ThreadOptions extends LibraryOptions<typeof THREADS> {}

/** Options of the commands that re-import rejects. */
export const REJECTS = {
  rejects: {
    arg: "<dir>",
    kind: "paths",
    help: "read the corrected rejects in this report folder, using the settings of its run (repeatable)",
  },
  restoreKeys: {
    recorded: "always",
    selects: true,
    help: "with --rejects: restore keys that were changed after export",
  },
  acceptChanges: {
    recorded: "always",
    selects: true,
    help: "with --rejects: also accept changes to cells that had no error",
  },
} as const;

/** Options that apply to rejects and to all other sources. */
export const KEYS = {
  /** Accept new keys that a spreadsheet may have changed, or whose row was sent under another key. */
  newKeys: {
    library: true,
    recorded: true,
    selects: true,
    help: "accept new keys that are refused by default: those that a spreadsheet may have changed, and those of rows sent under another key",
  },
} as const;

export interface KeyOptions extends LibraryOptions<typeof KEYS> {}

export const REPORT = {
  /** Include values of cells, which are personal data, in the report and the outcomes. */
  showValues: { library: true, help: "show cell values (default: only their shape)" },
  /** Folder of the report. Default: next to the ledger for a push; none for a validation. */
  out: {
    short: "o",
    arg: "<dir>",
    kind: "path",
    env: true,
    file: true,
    library: true,
    recorded: true,
    help: "folder for outcomes, errors, rejects and summary",
    docs: "the report folder; default: none for `validate`, `runs/<run>` next to the ledger for `push`",
  },
  /** Also write the rejects to a workbook. */
  workbook: { flag: false, library: true },
  testLocations: { help: "with --format junit: file and line of every test case (strict JUnit schemas reject them)" },
} as const;

/** Options that `validate` and `push` have in common. */
export interface ReportOptions extends LibraryOptions<typeof REPORT> {}

export const SENDING = {
  /** Do everything except send. */
  dryRun: { short: "n", library: true, help: "do everything except send" },
  /** Send records again that were accepted earlier with different content. */
  revise: {
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: "send accepted records again if their content has changed",
  },
  /** Send content that is older (`asOf`) than other content of the same record that was sent before. */
  allowOlder: {
    library: true,
    recorded: true,
    selects: true,
    help: "send a record even if content with a later asOf date was already sent",
  },
  /** Name of the last step of the workflow to perform. */
  until: {
    arg: "<step>",
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: "last step of the workflow to run: validate or stage",
  },
  /** Number of records to send first. The others are sent only if the platform accepts all of these. */
  canary: {
    arg: "<n>",
    kind: "number",
    range: [1],
    library: true,
    recorded: true,
    conflicts: ["dryRun", "remoteValidate", "until"],
    help: "send n records first, and the rest only if all of them are accepted",
  },
  remoteValidate: {
    conflicts: ["until"],
    help: "have the platform validate the locally valid records, without creating anything",
  },
  refreshReferences: { help: "update the reference list of products from the platform first" },
  /** Also send records that are invalid locally, if possible; the platform decides. */
  sendInvalid: {
    library: true,
    recorded: true,
    selects: true,
    help: "also send records that fail local validation (asks first; see --yes)",
  },
} as const;

/** Options of every command that sends records. */
export interface SendingOptions extends LibraryOptions<typeof SENDING> {}

/** The options of a run in addition to its job and its target. */
export const RUN: typeof CHECK & typeof THREADS & typeof KEYS & typeof REPORT & typeof SENDING = {
  ...CHECK,
  ...THREADS,
  ...KEYS,
  ...REPORT,
  ...SENDING,
};

export interface RunValues extends RecordedValues<typeof RUN> {}

export const LEDGER = {
  /** Path of the ledger file, or URL of a PostgreSQL database. Default: `.migrate/ledger.db`. */
  ledger: {
    arg: "<path|url>",
    kind: "path",
    env: true,
    file: true,
    library: true,
    help: "ledger of runs: a file, or postgres://user@host/database (default: .migrate/ledger.db)",
    docs: "the ledger file, or a PostgreSQL database, `postgres://user@host/database` ([cluster.md](cluster.md)); default `.migrate/ledger.db` in the current folder",
  },
} as const;

/** Where runs are recorded. */
export interface LedgerOptions extends LibraryOptions<typeof LEDGER> {}
