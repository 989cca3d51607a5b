import type { LibraryOptions } from "./option-row.ts";

export const CONTRACT = {
  /** The OpenAPI document followed by its overlays; `overlay:gb` names a bundled overlay. */
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
  /** Operation id or `METHOD path`. Required unless the mapping names the operation or the contract has only one. */
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
  /** The mapping file. Without it, the sources must already be payloads. */
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
    kind: "code",
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
    help: "encoding of sources without a byte order mark (default: UTF-8)",
    docs: "the encoding of sources without a byte order mark; default UTF-8",
  },
  delimiter: {
    arg: "<char>",
    kind: "text",
    env: true,
    file: true,
    library: true,
    recorded: true,
    selects: true,
    reimport: true,
    help: "delimiter of CSV sources (default: detected)",
    docs: "the delimiter of CSV sources; default: detected from the first lines",
  },
  /** File with corrections to cells, applied while the sources are read. */
  corrections: {
    arg: "<file>",
    kind: "path",
    env: true,
    file: true,
    library: true,
    recorded: true,
    conflicts: ["rejects"],
    help: "corrections file: new values for cells of the sources",
    docs: "the [corrections](corrections.md) file: new values for cells of the sources",
  },
  /** Maximum number of records in the run. With `only`, counts only the selected records. */
  limit: {
    arg: "<n>",
    kind: "number",
    range: [1],
    library: true,
    recorded: true,
    selects: true,
    help: "only the first n records",
  },
  /** Date to use as "today" in rules (`YYYY-MM-DD`). */
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
  /** Limits the run to the records with these business keys. */
  only: {
    arg: "<keys>",
    kind: "keys",
    library: true,
    recorded: true,
    selects: true,
    help: "only records with these business keys, separated by commas",
  },
} as const;

export const SETTINGS = {
  /**
   * Paths and patterns for a single source of the mapping: the only source without `files`, otherwise the source
   * without a parent. `namedSources` must not contain the same source.
   */
  sources: { flag: false, kind: "paths", library: true, recorded: "always" },
  /** Paths and patterns for sources of the mapping, by name. */
  namedSources: { flag: false, kind: "listsByName", library: true, recorded: "always" },
  /** Document roots by supplier code; `documentRoot` applies to all other suppliers. */
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
  /** Settings of the platform instance that rules use. */
  rules: {
    flag: false,
    kind: "ruleSettings",
    file: true,
    library: true,
    recorded: true,
    help: "instance settings used by rules",
    docs: "instance settings by name, used by rules that check several fields together and by contracts that choose between schemas ([rules.md](rules.md#settings))",
  },
  /** The file for each reference list, by the name of the list. */
  references: {
    flag: false,
    kind: "pathsByName",
    file: true,
    library: true,
    recorded: true,
    help: "reference lists: name and file",
    docs: "reference lists for rules: name and file ([rules.md](rules.md#reference-lists)); `push --refresh-references` rewrites the `products` list",
  },
  /** Time limit for one call to a mapping function, in seconds from 0.1 to 3600. Default: 2. */
  functionTimeout: {
    flag: false,
    kind: "seconds",
    range: [0.1, 3600],
    file: true,
    library: true,
    recorded: true,
    help: "time limit for one call to a mapping function, in seconds",
    docs: "time limit for one call to a mapping [function](mapping.md#functions), in seconds, 0.1 to 3600; default 2. Loading the module may take 10 times as long",
  },
} as const;

/** The options that determine the records of a run. */
export const JOB: typeof CONTRACT & typeof INPUT & typeof SETTINGS = { ...CONTRACT, ...INPUT, ...SETTINGS };

/**
 * The contract, mapping and sources that define the records. The options correspond to settings of `migrate.yaml`,
 * which the library does not read.
 */
export interface JobOptions extends LibraryOptions<typeof JOB> {}
