import type { Ledger } from "./ledger.ts";
import type { Run } from "./records/run.ts";
import type { SharedRun, SharedStatus } from "./runs/shared-run.ts";

export interface StoreOptions {
  /**
   * Receives messages for the user about the ledger's storage, for example if the storage cannot be reached or takes a
   * long time to open.
   */
  readonly notice?: ((message: string) => void) | undefined;
  /** Ends a wait for other processes: `write` then throws the Failure `incomplete`. */
  readonly drain?: AbortSignal | undefined;
}

/**
 * The storage of a ledger: a file or a database. The ledger may be open or closed. If a ledger file is missing but its
 * journal exists, methods throw the Failure `ledger_outdated` instead of `run_unknown`.
 */
export interface LedgerStore {
  /** Name for messages, and for `--ledger` in suggested commands. Contains no password. */
  readonly name: string;
  /** Host, port and database. Absent for a ledger in a file. */
  readonly server?: string;
  /** A local folder for the files of the ledger's runs: reports and copies of standard input. */
  readonly folder: string;
  /**
   * Opens the ledger exclusively for this command, until it is closed.
   * @throws Failure `ledger_in_use`, naming the holder; `run_unknown` if there is no ledger and `create` is false;
   * `incomplete` if `drain` ended the wait; `ledger_damaged`, `storage`, `config`
   */
  readonly write: (command: string, options: { readonly create: boolean }) => Promise<Ledger>;
  /**
   * Opens the ledger for reading, while another process may be writing to it.
   * @throws Failure `run_unknown` if there is no ledger; `ledger_damaged`, `storage`, `config`
   */
  readonly read: () => Promise<Ledger>;
  /**
   * Opens a run whose records several processes send. Absent if other machines cannot reach the ledger.
   * @throws Failure `run_unknown`, `config`, `storage`
   */
  readonly share?: (run: string) => Promise<SharedRun>;
  /**
   * Checks, before a shared run starts, that ranges can be assigned to workers. Call this with the ledger open for
   * writing.
   * @throws Failure `config` if the database user lacks a privilege; `storage`
   */
  readonly requireSharing?: () => Promise<void>;
  /**
   * Checks, without changing anything, that a push can create the ledger or write to it. Absent for a ledger in a file.
   * @throws Failure `config` if the database is unsuitable or its user lacks a privilege; `storage`
   */
  readonly requireWritable?: () => Promise<void>;
  /** Finds the process that is working on the ledger, if any. Absent if other machines cannot reach the ledger. */
  readonly activeWriter?: () => Promise<ActiveWriter | undefined>;
  /**
   * Returns the progress of a run's workers; undefined for a run without workers. Absent if other machines cannot reach
   * the ledger.
   */
  readonly sharedStatus?: (run: string) => Promise<SharedStatus | undefined>;
  /** Returns the id of the run that a live process is working on; undefined if there is none. */
  readonly activeRun: () => Promise<string | undefined>;
  /**
   * Checks the whole ledger for corruption, without changing it.
   * @throws Failure `run_unknown` if there is no ledger; `storage`; `config` if it is not a ledger
   */
  readonly check: () => Promise<LedgerCheck>;
  /**
   * Exports the contents of the ledger in batches: runs, records, the items of each run, requests, decisions and
   * exclusions.
   * @throws Failure `run_unknown` if there is no ledger; `ledger_damaged`, `storage`
   */
  readonly export: () => AsyncIterable<readonly ExportedRow[]>;
  /**
   * Replaces a corrupt ledger with a repaired copy that contains every readable record. Keeps the corrupt ledger under
   * another name. Absent for a database server, which has its own repair tools.
   * @param stamp suffix for the name under which the corrupt ledger is kept
   * @param options whether to create an empty ledger: if nothing can be read (`mayRecreate`), or if the file is missing
   * or empty (`mayCreate`). Set `mayRecreate` only if a journal contains the requests of the ledger
   * @throws Failure `ledger_in_use`, `run_unknown`, `ledger_damaged` if no run can be read, `storage`
   */
  readonly repair?: (
    stamp: string,
    options?: { readonly mayRecreate?: boolean; readonly mayCreate?: boolean },
  ) => Promise<LedgerRepair>;
}

/** The run that a process is working on. */
export interface ActiveWork {
  /** Absent if the run has not started yet, and for a command that sends nothing. */
  readonly run?: Run | undefined;
  /** The progress of that run's workers. */
  readonly shared?: SharedStatus | undefined;
}

/** A process that is working on a ledger, or workers whose planner has died. */
export interface ActiveWriter extends ActiveWork {
  /** Command, process and host, for messages. */
  readonly who: string;
  /** The command; absent if only workers are active. */
  readonly command?: string;
}

/**
 * The findings of a ledger check, and the number of rows by kind. For a ledger file with findings, all counts are 0.
 */
export interface LedgerCheck {
  /** Sentences that describe the corruption and the contradictions; empty if there are none. */
  readonly findings: readonly string[];
  readonly counts: Readonly<Record<"runs" | "records" | "attempts" | "decisions", number>>;
}

/** One row of the ledger: its table and its columns. Hashes are hexadecimal. */
export type ExportedRow = Readonly<Record<string, string | number | null>>;

export interface LedgerRepair {
  readonly tables: readonly SalvagedTable[];
  /** Number of records with unknown delivery status after the repair. */
  readonly ambiguous: number;
  /** Path at which the corrupt ledger is kept, next to its log and its checksum file; absent if there was no ledger. */
  readonly kept?: string | undefined;
}

interface SalvagedTable {
  readonly table: string;
  readonly rows: number;
  /** False if some rows of the table could not be read. */
  readonly isWhole: boolean;
}
