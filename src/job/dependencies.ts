import type { StoreKey } from "../store/s3-store.ts";
import type { Clock, Random } from "../time/clock.ts";
import type { ContractCache } from "./contract-cache.ts";
import type { RunEvent } from "./run-event.ts";

/** What a command is given besides its options: everything outside of it, as arguments. */
export interface Dependencies {
  /** Something worth saying to the person at the terminal; holds no values. */
  readonly notice: (text: string) => void;
  /** What a run does, while it does it. */
  readonly onProgress: (event: RunEvent) => void;
  /** Claim nothing new, finish what is in flight: the first Ctrl-C. */
  readonly drain: AbortSignal;
  /** Stop at once: the second. */
  readonly abort: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  /** Credentials, from the environment or from the private files that the target names. */
  readonly secrets: (files: SecretFiles) => Promise<Secrets>;
  /** The access key of a document store, from the environment or from a private file. */
  readonly storeCredentials: (file: string | undefined) => Promise<StoreKey | undefined>;
  /** `user:password` for a proxy that wants them. */
  readonly proxyCredentials?: string | undefined;
  /** `energy-migrate/<version>`. */
  readonly userAgent: string;
  /** Whether there is somebody to ask. */
  readonly canAsk: boolean;
  /** Asks for a typed answer; undefined where nobody can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Writes what comes from standard input to a private file in the folder, and gives its path. */
  readonly copyStandardInput: (folder: string) => Promise<string>;
  readonly screen: Screen;
  /** A folder of this process for temporary files: private, made when first needed, removed at the end. */
  readonly temporaryFolder: string;
  /** For what the ledger will not take: a folder that outlives the process. */
  readonly rescueFolder: string;
  /** What this machine remembers of ledgers on servers, whatever the working folder. */
  readonly stateFolder: () => string;
  /** Starts this program once more, with these words behind its name; absent where it was not started as a program. */
  readonly startProcess?: ((words: readonly string[]) => StartedProcess) | undefined;
  /** Where compiled contracts are kept; undefined: nowhere. */
  readonly contractCache?: ContractCache | undefined;
}

/** Another process of this program, which signals of the terminal do not reach. */
export interface StartedProcess {
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<ProcessEnd>;
  /** Asks it to end; nothing happens where it has. */
  readonly stop: () => void;
  /** Ends it at once, also one that stands still. */
  readonly kill: () => void;
}

/** Exactly one of the two is set; neither for a process that could not be started. */
export interface ProcessEnd {
  readonly exitCode?: number | undefined;
  /** Number of the signal that killed it. */
  readonly signal?: number | undefined;
}

export interface SecretFiles {
  readonly apiKeyFile?: string | undefined;
  readonly tokenFile?: string | undefined;
}

export interface Secrets {
  readonly apiKey?: string;
  readonly token?: string;
}

export interface Screen {
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

export interface CheckProgress {
  readonly records: number;
  readonly invalid: number;
}
