import type { Status } from "./outcome.ts";

/**
 * The final state of all rows, records and amounts of one or more runs, for an auditor to sign. Amounts are decimal
 * strings.
 */
export interface Proof {
  readonly format: "migrate-proof/1";
  /** Name and version of the program that created the proof. */
  readonly tool: string;
  /** ISO 8601 UTC. */
  readonly madeAt: string;
  readonly runs: readonly RunProof[];
  /** Present with `--all`. */
  readonly coverage?: readonly CoverageProof[];
  /** With `--all`: the number of ambiguous records that no run contains. Absent if there are none. */
  readonly unplanned?: number;
  /** The other files in the folder, by name, with their SHA-256 in hex. */
  readonly files: Readonly<Record<string, string>>;
}

/** The facts about a run that its ledger contains. */
export interface ProvedRunFacts {
  readonly run: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly exitCode?: number;
  readonly dryRun: boolean;
  readonly target: string;
  readonly endpoint: string;
  readonly supplier: string;
  readonly operation: string;
}

export interface RunProof extends ProvedRunFacts {
  /** The reason why the run's sources could not be read again. If set, the rows and amounts are not verified. */
  readonly unreadable?: string;
  readonly sources: readonly SourceProof[];
  /** The files that define how rows become payloads: contract, mapping, lists. */
  readonly setup: readonly FileProof[];
  readonly records: RecordsProof;
  readonly payloads: PayloadsProof;
  readonly measures: readonly MeasureProof[];
  /** Number of rows in `differences-<run>.csv`. */
  readonly differences: number;
  /** Number of cells that were corrected while the sources were read; `corrections-<run>.csv` lists all corrections. */
  readonly corrections?: number;
  readonly platform?: PlatformProof;
}

export interface FileProof {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Counts of the rows of a file. `rows` is the sum of the following members, except `blankLines`. */
export interface RowCounts {
  /** Excludes the header. */
  readonly rows: number;
  readonly inRecords: number;
  /** Child rows without a parent. */
  readonly orphans: number;
  /** Rows of records that repeat another record. */
  readonly duplicates: number;
  /** Rows of records that the run excluded (`--limit`, `--only`) or did not reach. */
  readonly leftOut: number;
  /** Rows excluded by `distinct` or `pick` in the mapping, and their child rows. */
  readonly notPicked: number;
  /** Rows of no record, or of a record that is missing from the ledger. Any number other than 0 indicates an error. */
  readonly unaccounted: number;
  readonly blankLines: number;
}

export interface SourceProof extends FileProof, RowCounts {
  readonly source: string;
}

interface RecordsProof {
  readonly total: number;
  readonly byStatus: Readonly<Partial<Record<Status, number>>>;
  /** Source records that are not in the ledger. */
  readonly leftOut: number;
}

/** Payloads rebuilt from the sources, compared with the payloads that the ledger recorded as planned and sent. */
interface PayloadsProof {
  readonly same: number;
  readonly different: number;
}

export interface MeasureProof {
  readonly name: string;
  readonly attr: string;
  readonly by?: string;
  /** Cells and values that are not decimal numbers; they are not included in any sum. */
  readonly unreadable: number;
  readonly sums: readonly MeasureSums[];
}

export interface MeasureSums {
  /** The value of the attr `by`; absent if the payload has none. */
  readonly by?: string;
  /** Sum of the cells, including the cells of orphan rows. */
  readonly source: string;
  readonly payloads: string;
  /** Sum over the payloads that were sent. */
  readonly sent: string;
  readonly accepted: string;
  /** Present with `--read-back` if the contract defines a comparison. */
  readonly platform?: string;
}

/** The platform's answers to the queries for accepted records. */
export interface PlatformProof {
  readonly askedAt: string;
  /** The attrs whose values can be compared, according to the contract. */
  readonly compared: readonly string[];
  /** Found, with equal values for all compared attrs; at least one value was compared. */
  readonly found: number;
  /** Found, but the platform returned nothing that could be compared with the content. */
  readonly notCompared: number;
  readonly different: number;
  readonly absent: number;
  readonly unknown: number;
  /** Not looked up, because the platform has since accepted different content for the record. */
  readonly replaced: number;
}

/** The records of all pushes to one target; a record in several runs is counted once. */
interface CoverageProof {
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly records: number;
  /** Records that the platform has accepted, in any run. */
  readonly accepted: number;
}
