import type { Status } from "./outcome.ts";

/** What became of the rows, the records and the amounts of runs: what an auditor signs. Amounts are decimal texts. */
export interface Proof {
  readonly format: "migrate-proof/1";
  /** The program that made it, with its version. */
  readonly tool: string;
  /** ISO 8601 UTC. */
  readonly madeAt: string;
  readonly runs: readonly RunProof[];
  /** With `--all`. */
  readonly coverage?: readonly CoverageProof[];
  /** The files beside this one, by their names: sha256 in hex. */
  readonly files: Readonly<Record<string, string>>;
}

export interface RunProof {
  readonly run: string;
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly exitCode?: number;
  readonly dryRun: boolean;
  readonly target: string;
  readonly endpoint?: string;
  readonly supplier: string;
  readonly operation: string;
  /** Why its sources could not be read again: then rows and amounts are not proved. */
  readonly unreadable?: string;
  readonly sources: readonly SourceProof[];
  /** What decides how rows become payloads: contract, mapping, lists. */
  readonly setup: readonly FileProof[];
  readonly records: RecordsProof;
  readonly payloads: PayloadsProof;
  readonly measures: readonly MeasureProof[];
  /** Rows of `differences-<run>.csv`. */
  readonly differences: number;
  readonly platform?: PlatformProof;
}

export interface FileProof {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** `rows` is the sum of what follows it, `blankLines` left out. */
export interface SourceProof extends FileProof {
  readonly source: string;
  /** Below the header. */
  readonly rows: number;
  readonly inRecords: number;
  /** Child rows without a parent. */
  readonly orphans: number;
  /** In records that repeat another one. */
  readonly duplicates: number;
  /** In records that the run was not to send (`--limit`, `--only`), or did not come to. */
  readonly leftOut: number;
  /** Left out by `distinct` or `pick` of the mapping, or with a parent that is. */
  readonly notPicked: number;
  /** Read, and in no record: never, unless something is wrong. */
  readonly unaccounted: number;
  readonly blankLines: number;
}

interface RecordsProof {
  readonly total: number;
  readonly byStatus: Readonly<Partial<Record<Status, number>>>;
  /** Records of the sources that are not in the ledger. */
  readonly leftOut: number;
}

/** Payloads made of the sources now, compared with what the ledger says was planned and sent. */
interface PayloadsProof {
  readonly same: number;
  readonly different: number;
}

export interface MeasureProof {
  readonly name: string;
  readonly attr: string;
  readonly by?: string;
  /** Cells and values that are no decimal number; they are in no sum. */
  readonly unreadable: number;
  readonly sums: readonly MeasureSums[];
}

export interface MeasureSums {
  /** The value of the attr `by`; absent where there is none. */
  readonly by?: string;
  /** In the cells, orphan rows among them. */
  readonly source: string;
  readonly payloads: string;
  /** In payloads that were sent. */
  readonly sent: string;
  readonly accepted: string;
  /** With `--read-back`, where the contract says what to compare. */
  readonly platform?: string;
}

/** What the platform said when it was asked for the accepted records. */
export interface PlatformProof {
  readonly askedAt: string;
  readonly found: number;
  readonly different: number;
  readonly absent: number;
  readonly unknown: number;
}

/** The records of all pushes to one place; one that several runs had counts once. */
interface CoverageProof {
  readonly target: string;
  readonly supplier: string;
  readonly operation: string;
  readonly records: number;
  /** Those that the platform has accepted, in whatever run. */
  readonly accepted: number;
}
