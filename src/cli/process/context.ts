import { homedir, tmpdir } from "node:os";
import type { Dependencies, Screen } from "../../job/dependencies.ts";
import { withNamingPlace } from "../../job/naming-place.ts";
import { spoolStdin } from "../../read/spool-stdin.ts";
import { systemClock } from "../../time/system-clock.ts";
import { contractCache, packageVersion } from "../installation.ts";
import type { Flags } from "../options/options.ts";
import { readSecrets, readStoreCredentials } from "../settings/read-credentials.ts";
import type { Config } from "../settings/config-schema.ts";
import { readConfig } from "../settings/config-file.ts";
import { type LedgerSettings, readLedgerSettings, readSettings, type Settings } from "../settings/settings.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { createLogger, type Logger, loggerOptionsOf } from "./logger.ts";
import { logExit } from "./process-exit.ts";
import { createProgress } from "./progress.ts";
import { reserveTemporaryFolder } from "./temporary-folder.ts";
import { ask, isLive, screenOf, stdoutWriter, watchStdout } from "./terminal.ts";

/**
 * Runs an action and sets the exit code: the one that the action returns, that of the Failure that it raises, or 70 for
 * anything else, which is a bug and the only thing shown with its stack.
 */
export async function withContext(flags: Flags, action: (context: Context) => Promise<number>): Promise<void> {
  const context = createContext(flags);
  try {
    process.exitCode = await action(context);
  } catch (error) {
    context.close();
    process.exitCode = logExit(error, context.logger);
  } finally {
    context.close();
  }
}

/** The same for an action that needs all settings: of the flags, the environment and the configuration file. */
export function withSettings(
  sources: readonly string[],
  flags: Flags,
  action: (settings: Settings, context: Context) => Promise<number>,
): Promise<void> {
  return withContext(flags, async (context) => {
    const settings = await readSettings(sources, flags, process.cwd());
    logConfigFile(settings.configFile, context);
    return sayingWhereNamed(settings, () => action(settings, context));
  });
}

/** The same for an action that starts from the ledger. */
export function withLedger(
  flags: Flags,
  action: (settings: LedgerSettings, context: Context) => Promise<number>,
): Promise<void> {
  return withContext(flags, async (context) => {
    const settings = await readLedgerSettings(flags, process.cwd());
    logConfigFile(settings.configFile, context);
    return sayingWhereNamed(settings, () => action(settings, context));
  });
}

/** The same for an action that needs the configuration file alone. */
export function withConfig(flags: Flags, action: (config: Config, context: Context) => Promise<number>): Promise<void> {
  return withContext(flags, async (context) => {
    const config = await readConfig(flags.config, process.cwd());
    logConfigFile(config.file, context);
    return sayingWhereNamed(config, () => action(config, context));
  });
}

function sayingWhereNamed<T>({ placeOf }: Pick<Config, "placeOf">, action: () => Promise<T>): Promise<T> {
  return placeOf === undefined ? action() : withNamingPlace(placeOf, action);
}

function logConfigFile(file: string | undefined, { logger }: Context): void {
  logger.detail(file === undefined ? "No configuration file" : `Configuration file ${file}`);
}

/** What an action is given by the process: terminal, clock, signals, environment. Made once a command. */
export interface Context {
  readonly dependencies: Dependencies;
  readonly logger: Logger;
  /** stderr, which the logger writes to. */
  readonly stderrScreen: Screen;
  /** Writes to stdout; waits while the reader is slow. */
  readonly write: (text: string) => Promise<void> | void;
  /** False once the reader of stdout has gone. */
  readonly isStdoutOpen: () => boolean;
  /** Ends the progress display. Temporary files are removed when the process exits. */
  readonly close: () => void;
}

function createContext(flags: Flags): Context {
  const logger = createLogger(loggerOptionsOf(flags));
  const stderrScreen = screenOf(process.stderr, flags);
  const monotonic = systemClock.monotonic;
  const progress = createProgress(logger, { live: isLive(flags), colour: stderrScreen.colour }, monotonic);
  const interrupts = listenForInterrupts(() => progress.notice("Stopping. Press Ctrl-C again to stop at once."));
  const temporaryFolder = reserveTemporaryFolder();
  return {
    logger,
    stderrScreen,
    write: stdoutWriter(monotonic),
    isStdoutOpen: watchStdout(),
    close: progress.stop,
    dependencies: {
      notice: progress.notice,
      onCheck: progress.onCheck,
      onUpload: progress.onUpload,
      ...interrupts,
      clock: systemClock,
      random: Math.random,
      secrets: (files) => readSecrets(process.env, files),
      storeCredentials: (file) => readStoreCredentials(process.env, file),
      proxyCredentials: process.env["MIGRATE_PROXY_CREDENTIALS"],
      userAgent: `energy-migrate/${packageVersion()}`,
      ask,
      copyStandardInput: (folder) => spoolStdin(process.stdin, folder),
      screen: screenOf(process.stdout, flags),
      temporaryFolder,
      rescueFolder: tmpdir(),
      contractCache:
        flags.cache === false
          ? undefined
          : contractCache({ env: process.env, platform: process.platform, home: homedir() }),
    },
  };
}
