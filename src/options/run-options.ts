import type { LibraryOptions, RecordedValues } from "./option-row.ts";

export const CHECK = {
  /** Maximum number of invalid records: a count, or a share of all records (0 to 1). */
  maxErrors: {
    arg: "<n|n%>",
    kind: "maxErrors",
    env: true,
    library: true,
    recorded: true,
    help: "stop the run above this number or share of invalid records",
  },
  /** Whether to accept an input without records. */
  allowEmpty: { library: true, recorded: true, help: "accept an input without records" },
} as const;

export interface CheckOptions extends LibraryOptions<typeof CHECK> {}

/** Options of the commands that can check the input on several threads. */
export const THREADS = {
  /**
   * Number of validation threads. Default: `auto`, which is one per processor, at most 8, if the input is large or
   * validation is slow.
   */
  threads: {
    arg: "<auto|n>",
    kind: "threads",
    env: true,
    file: true,
    library: true,
    recorded: true,
    help: "number of threads (default: 1; for large or slow inputs, one per processor, at most 8)",
    docs: "number of threads that read, map and validate the input of `validate` and `push`; also determines whether an additional thread writes the ledger of a push, see [Threads](#threads); default `auto`",
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

/** Options that apply to re-imported rejects as well as to all other sources. */
export const KEYS = {
  /**
   * Whether to accept new keys that are refused by default: keys that a spreadsheet may have changed, and keys of rows
   * that were already sent under another key.
   */
  newKeys: {
    library: true,
    recorded: true,
    selects: true,
    help: "accept new keys that are refused by default: keys that a spreadsheet may have changed, and keys of rows already sent under another key",
  },
} as const;

export interface KeyOptions extends LibraryOptions<typeof KEYS> {}

export const REPORT = {
  /** Whether to include values of cells in the report and the outcomes. Values are personal data. */
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
    help: "report folder: outcomes, errors, rejects, summary, HTML page",
    docs: "the report folder; default: none for `validate`, `documents check` and `push --remote-validate`; for any other `push`, `runs/<run>` next to the ledger file (with PostgreSQL: `.migrate/runs/<run>` in the current folder)",
  },
  /** Whether to write the rejects to a workbook as well. */
  workbook: { flag: false, library: true },
  testLocations: { help: "with --format junit: add file and line to test cases (strict JUnit schemas reject them)" },
} as const;

/** Options for the report of a validation or push. */
export interface ReportOptions extends LibraryOptions<typeof REPORT> {}

export const SENDING = {
  /** Whether to do everything except send records. */
  dryRun: { short: "n", library: true, help: "do everything except send records" },
  /** Whether to send accepted records again if their content has changed. */
  revise: {
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: "send accepted records again if their content has changed",
  },
  /** Whether to send content that is older (`asOf`) than content already sent for the same record. */
  allowOlder: {
    library: true,
    recorded: true,
    selects: true,
    help: "with `push`: send a record even if content with a later asOf date was already sent",
  },
  /** Name of the last workflow step to run. */
  until: {
    arg: "<step>",
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: "last workflow step to run, such as validate",
  },
  /** Number of records to send first. If the platform accepts all of them, the run sends the other records. */
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
    conflicts: ["dryRun", "revise", "allowOlder", "until", "sendInvalid"],
    help: "have the platform validate the locally valid records, without creating anything",
  },
  refreshReferences: { help: "update the reference list of products from the platform first" },
  /** Whether to also send records that fail local validation, if they can be sent. */
  sendInvalid: {
    library: true,
    recorded: true,
    selects: true,
    help: "also send records that fail local validation (asks first; see --yes)",
  },
} as const;

/** Options of a push. Other commands that send records use the recorded values. */
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

/** Selects the ledger that records the runs. */
export interface LedgerOptions extends LibraryOptions<typeof LEDGER> {}
