import type { StoreKey } from "../store/s3-store.ts";
import type { Clock, Random } from "../time/clock.ts";
import type { ContractCache } from "./contract-cache.ts";
import type { RunEvent } from "./run-event.ts";

export interface Notifier {
  /**
   * Prints a message for the user. It contains no cell values except keys, unless the user asked for values.
   * @param urgency `alert`: the user must act on the message, so `--quiet` does not suppress it
   */
  readonly notice: (text: string, urgency?: "alert") => void;
}

/**
 * Returns an environment that prints each message only once, because several runs of a ledger may produce the same
 * message.
 */
export function withoutRepeatedNotices<Environment extends Notifier>(environment: Environment): Environment {
  const printed = new Set<string>();
  return {
    ...environment,
    notice: (text, urgency) => {
      if (printed.has(text)) return;
      printed.add(text);
      environment.notice(text, urgency);
    },
  };
}

export interface StopSignals {
  /** Aborts at the first Ctrl-C: the run starts no new requests, and finishes the requests in flight. */
  readonly drain: AbortSignal;
  /** Aborts at the second Ctrl-C: the run stops immediately. */
  readonly abort: AbortSignal;
}

export interface ProgressEnvironment extends Notifier {
  readonly onProgress: (event: RunEvent) => void;
}

export interface SendEnvironment extends ProgressEnvironment, StopSignals {
  readonly clock: Clock;
  readonly random: Random;
}

export interface RescueEnvironment extends Notifier {
  /** A folder that outlives the process, for data that the ledger cannot store. */
  readonly rescueFolder: string;
}

export interface JournalEnvironment extends RescueEnvironment {
  readonly clock: Clock;
  /** Folder for data that this machine keeps about ledgers on servers. Independent of the working folder. */
  readonly stateFolder: () => string;
}

export interface TransportEnvironment {
  /** `user:password` for a proxy that requires credentials. */
  readonly proxyCredentials?: string | undefined;
  /** Settings that override those of the target, which may be recorded in a run. */
  readonly transport?: TransportSettings;
}

export interface TransportSettings {
  /** The base URL that the target must have. */
  readonly baseUrl?: string | undefined;
  readonly ca?: string | undefined;
  readonly proxy?: string | undefined;
}

export interface PlatformEnvironment extends Notifier, TransportEnvironment {
  /** Credentials, from the environment or from the private files that the target names. */
  readonly secrets: (files: SecretFiles) => Promise<Secrets>;
  /** `energy-migrate/<version>`. */
  readonly userAgent: string;
  /** Aborts logins and read requests in flight. */
  readonly drain: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
}

export interface ContractCaching {
  /** The cache of compiled contracts; undefined if contracts are not cached. */
  readonly contractCache?: ContractCache | undefined;
}

export interface FileEnvironment extends Notifier {
  /** A folder of this process for temporary files: private, created on first use, removed at the end. */
  readonly temporaryFolder: string;
}

export interface ProcessEnvironment extends StopSignals {
  readonly clock: Clock;
  /** Starts this program as another process with these arguments; absent in the library. */
  readonly startProcess?: ((words: readonly string[]) => StartedProcess) | undefined;
}

export interface StandardInputEnvironment {
  /** Copies standard input to a private file in the folder and returns its path. */
  readonly copyStandardInput: (folder: string) => Promise<string>;
}

/** The environment of a command. It is passed to the command in addition to its options. */
export interface Dependencies
  extends
    SendEnvironment,
    JournalEnvironment,
    PlatformEnvironment,
    ProcessEnvironment,
    FileEnvironment,
    StandardInputEnvironment,
    ContractCaching {
  /** The access key of a document store, from the environment or from a private file. */
  readonly storeCredentials: (file: string | undefined) => Promise<StoreKey | undefined>;
  readonly canAsk: boolean;
  /** Asks for a typed answer. Resolves to undefined if no user can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
  readonly screen: Screen;
}

/** Another process of this program, which does not receive signals from the terminal. */
export interface StartedProcess {
  /** Undefined if the process could not be started. */
  readonly pid: number | undefined;
  readonly ended: Promise<ProcessEnd>;
  /** Asks the process to end. Has no effect if it has already ended. */
  readonly stop: () => void;
  /** Ends the process immediately, even if it hangs. */
  readonly kill: () => void;
}

/** One member is set. */
export interface ProcessEnd {
  readonly exitCode?: number | undefined;
  /** Number of the signal that killed the process. */
  readonly signal?: number | undefined;
  /** Why the process could not be started, such as `EAGAIN`. */
  readonly startError?: string | undefined;
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
  /** Width of the terminal in columns. */
  readonly width: number;
  /** Maximum width of tables; default: `width`. */
  readonly tableWidth?: number | undefined;
}

export interface CheckProgress {
  readonly records: number;
  readonly invalid: number;
}
