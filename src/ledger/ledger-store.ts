import type { Ledger, Run } from "./ledger.ts";
import type { SharedRun, SharedStatus } from "./runs/shared-run.ts";

export interface StoreOptions {
  /** Told in a sentence what the user should know of the ledger's keeper: that it cannot be reached, or takes long to open. */
  readonly notice?: ((message: string) => void) | undefined;
}

/** Where a ledger is kept, opened or not: a file, or a database. Says nothing of how it is kept. */
export interface LedgerStore {
  /** For messages, and for `--ledger` of the next command; holds no password. */
  readonly name: string;
  /** Host, port and database. Absent for a ledger in a file. */
  readonly server?: string;
  /** A local folder for what belongs to the ledger's runs: reports, and copies of standard input. */
  readonly folder: string;
  /**
   * Opens the ledger for this command alone, until it is closed.
   * @throws Failure `ledger_in_use`, naming the holder; `run_unknown` where there is none and `create` is false;
   * `ledger_damaged`, `storage`, `config`
   */
  readonly write: (command: string, options: { readonly create: boolean }) => Promise<Ledger>;
  /**
   * Opens the ledger to look into it, beside whoever is writing to it.
   * @throws Failure `run_unknown` where there is none; `ledger_damaged`, `storage`, `config`
   */
  readonly read: () => Promise<Ledger>;
  /**
   * Opens a run that several processes send. Absent where no other machine reaches the ledger.
   * @throws Failure `run_unknown`, `config`, `storage`
   */
  readonly share?: (run: string) => Promise<SharedRun>;
  /**
   * To be asked before a run that several processes send, by whoever has opened the ledger to write: may work be handed out?
   * @throws Failure `config` where this user lacks a right, `storage`
   */
  readonly requireSharing?: () => Promise<void>;
  /** Who is at work on the ledger; undefined where nobody is. Absent where no other machine reaches the ledger. */
  readonly atWork?: () => Promise<AtWork | undefined>;
  /** How far the workers of a run have come; undefined for a run that has none. */
  readonly sharedStatus?: (run: string) => Promise<SharedStatus | undefined>;
  /** The id of the run that a living process is at work on. */
  readonly activeRun: () => Promise<string | undefined>;
  /**
   * Looks at everything that the ledger holds. Changes nothing.
   * @throws Failure `run_unknown` where there is none; `storage`; `config` for something that is no ledger
   */
  readonly check: () => Promise<LedgerCheck>;
  /**
   * Everything that the ledger knows, in batches: runs, records, the list of each run, requests, decisions.
   * @throws Failure `run_unknown` where there is none; `ledger_damaged`, `storage`
   */
  readonly export: () => AsyncIterable<readonly ExportedRow[]>;
  /**
   * Makes a sound ledger of what can be read of a damaged one, which is kept. Absent where the keeper of the ledger
   * mends its own damage.
   * @param stamp for the name of the damaged ledger
   * @param options `mayBeginAnew`: make an empty ledger where nothing can be read, because a journal knows its requests
   * @throws Failure `ledger_in_use`, `run_unknown`, `ledger_damaged` when not a single run can be read, `storage`
   */
  readonly repair?: (stamp: string, options?: { readonly mayBeginAnew: boolean }) => Promise<LedgerRepair>;
}

/** A process that works on a ledger; or workers, whose planner has died. */
export interface AtWork {
  /** For messages: command, process and host. */
  readonly who: string;
  /** The command; absent for workers alone. */
  readonly command?: string;
  /** None where it has not begun one yet, and where it is none that sends. */
  readonly run?: Run | undefined;
  /** How far the workers of that run are. */
  readonly shared?: SharedStatus | undefined;
}

/** What a ledger holds, and what is wrong with it. */
export interface LedgerCheck {
  /** Sentences; none when the ledger can be trusted. */
  readonly findings: readonly string[];
  readonly counts: Readonly<Record<"runs" | "records" | "attempts" | "decisions", number>>;
}

/** One row of the ledger: which table it is of, and its columns; hashes in hexadecimal digits. */
export type ExportedRow = Readonly<Record<string, string | number | null>>;

export interface LedgerRepair {
  readonly tables: readonly SalvagedTable[];
  /** Records whose fate is unknown now. */
  readonly ambiguous: number;
  /** Path of the damaged ledger, next to its log and its checksum file; absent where there was no ledger. */
  readonly kept?: string | undefined;
}

/** How much of a table came through. */
interface SalvagedTable {
  readonly table: string;
  readonly rows: number;
  /** False: some of its rows cannot be read. */
  readonly isWhole: boolean;
}
