import { homedir } from "node:os";
import type { Dependencies, Screen } from "../../job/dependencies.ts";
import { withNamingPlace } from "../../job/settings/naming-place.ts";
import { defaultDependencies } from "../../runtime/default-dependencies.ts";
import { contractCache } from "../../runtime/installation.ts";
import type { Flags } from "../options/options.ts";
import { Failure } from "../../model/failure.ts";
import type { Config } from "../settings/config-schema.ts";
import type { LedgerSettings, Settings } from "../settings/settings.ts";
import type { Session } from "./session.ts";
import { type Logger, loggerFor } from "./logger.ts";
import { createProgress, type Progress } from "../progress/progress.ts";
import { startProcess } from "./start-process.ts";
import { logExit } from "./process-exit.ts";
import { reserveTemporaryFolder } from "../../runtime/temporary-folder.ts";
import { ask, canAsk, isLive, screenOf, stdoutWriter, watchStdout } from "./terminal.ts";

/**
 * Runs an action and sets the exit code to the result of the action, or to the exit code of the Failure that the action
 * throws. Any other error is a bug, except a second signal or a machine limit. For a bug, the exit code is 70, and the
 * stack is logged.
 */
export async function withContext(
  session: Session,
  flags: Flags,
  action: (context: Context) => Promise<number>,
): Promise<void> {
  const context = createContext(session, flags);
  let stopMetrics: (() => Promise<void>) | undefined;
  try {
    stopMetrics = await metricsOf(flags, context);
    session.exitCode = await action(context);
  } catch (error) {
    context.close();
    session.exitCode = logExit(error, context.logger);
  } finally {
    context.close();
    await stopMetrics?.();
    context.end();
  }
}

/** Starts the metrics if they are requested. Loads their module only in this case. */
async function metricsOf(
  { metrics, metricsFile }: Flags,
  { progress, logger }: Context,
): Promise<(() => Promise<void>) | undefined> {
  if (metrics === undefined && metricsFile === undefined) return undefined;
  const { startMetrics } = await import("../metrics/start-metrics.ts");
  return startMetrics({ metrics, metricsFile }, progress.current, logger);
}

/** Runs an action with all settings from the flags, the environment and the configuration file. */
export function withSettings(
  session: Session,
  sources: readonly string[],
  flags: Flags,
  action: (settings: Settings, context: Context) => Promise<number>,
): Promise<void> {
  return withContext(session, flags, async (context) => {
    const settings = await readJobSettings(sources, flags, context);
    logConfigFile(settings.configFile, context);
    return withNamingPlace(settings.placeOf, () => action(settings, context));
  });
}

/** Reads the settings. Loads the modules for re-imported rejects only if `--rejects` is given. */
async function readJobSettings(sources: readonly string[], flags: Flags, { dependencies }: Context): Promise<Settings> {
  const { rejects } = flags;
  if (rejects !== undefined && rejects.length > 0) {
    const { readRejectsSettings } = await import("../settings/settings-of-rejects.ts");
    return readRejectsSettings(sources, { ...flags, rejects }, process.cwd(), dependencies);
  }
  const { restoreKeys = false, acceptChanges = false } = flags;
  if (restoreKeys || acceptChanges) throw withoutRejects(restoreKeys ? "--restore-keys" : "--accept-changes");
  const { readSettings } = await import("../settings/settings.ts");
  return readSettings(sources, flags, process.cwd());
}

/** Returns the failure for an option that requires `--rejects`. */
export function withoutRejects(flag: string): Failure {
  return new Failure("usage", `${flag} needs --rejects`, { hint: "pass the report folder: --rejects <dir>" });
}

/**
 * Runs an action with the settings for finding a run in the ledger. The action reads its other settings from the run.
 */
export function withLedger(
  session: Session,
  flags: Flags,
  action: (settings: LedgerSettings, context: Context) => Promise<number>,
): Promise<void> {
  return withContext(session, flags, async (context) => {
    const { readLedgerSettings } = await import("../settings/settings.ts");
    const settings = await readLedgerSettings(flags, process.cwd());
    logConfigFile(settings.configFile, context);
    const dependencies = { ...context.dependencies, transport: settings.transport };
    return withNamingPlace(settings.placeOf, () => action(settings, { ...context, dependencies }));
  });
}

/** Runs an action that needs only the configuration file. */
export function withConfig(
  session: Session,
  flags: Flags,
  action: (config: Config, context: Context) => Promise<number>,
): Promise<void> {
  return withContext(session, flags, async (context) => {
    const { readConfig } = await import("../settings/config-file.ts");
    const config = await readConfig(flags.config, process.cwd());
    logConfigFile(config.file, context);
    return withNamingPlace(config.placeOf, () => action(config, context));
  });
}

function logConfigFile(file: string | undefined, { logger }: Context): void {
  logger.detail(file === undefined ? "No configuration file" : `Configuration file ${file}`);
}

/**
 * The parts of the process that an action uses: terminal, clock, signals and environment. Created once for each
 * command.
 */
export interface Context {
  readonly dependencies: Dependencies;
  readonly logger: Logger;
  readonly progress: Progress;
  /** The screen of stderr, to which the logger writes. */
  readonly stderrScreen: Screen;
  /** Writes to stdout. Returns a promise while the reader is slow. */
  readonly write: (text: string | Uint8Array) => Promise<void> | void;
  /** Returns false once the reader of stdout has closed it. */
  readonly isStdoutOpen: () => boolean;
  readonly stdout: Session["stdout"];
  /** Ends the progress display. */
  readonly close: () => void;
  /** Releases everything that belongs to the command, and removes its temporary files. */
  readonly end: () => void;
}

const TICK_MS = 500;

/** Returns the flags that give a worker process the same connection to the platform. */
function transportWords({ ca, proxy }: Flags): readonly string[] {
  return [...(ca === undefined ? [] : ["--ca", ca]), ...(proxy === undefined ? [] : ["--proxy", proxy])];
}

function createContext(session: Session, flags: Flags): Context {
  const { stdin, stdout, stderr, clock } = session;
  const logger = loggerFor(flags, session);
  const stderrScreen = screenOf(stderr, flags);
  const width = (): number => screenOf(stderr, flags).width;
  const progress = createProgress(
    logger,
    { live: isLive(stderr, flags), stream: stderr, colour: stderrScreen.colour, width },
    clock,
  );
  const ticking = setInterval(progress.tick, TICK_MS).unref();
  const interrupts = session.listen(progress.stopping);
  const temporaryFolder = reserveTemporaryFolder();
  return {
    logger,
    progress,
    stderrScreen,
    write: stdoutWriter(stdout, clock.monotonic),
    isStdoutOpen: watchStdout(stdout),
    stdout,
    close: progress.stop,
    end: () => {
      clearInterval(ticking);
      temporaryFolder.remove();
    },
    dependencies: {
      ...defaultDependencies(),
      clock,
      notice: progress.notice,
      onProgress: progress.onProgress,
      ...interrupts,
      secrets: async (files) => (await import("../../runtime/read-credentials.ts")).readSecrets(process.env, files),
      storeCredentials: async (file) => (await import("../settings/store-key.ts")).readStoreKey(process.env, file),
      proxyCredentials: process.env["MIGRATE_PROXY_CREDENTIALS"],
      canAsk: canAsk(session),
      ask: (question) => progress.paused(() => ask(question, session)),
      copyStandardInput: async (folder) => (await import("../../read/input/spool-stdin.ts")).spoolStdin(stdin, folder),
      screen: screenOf(stdout, flags),
      temporaryFolder: temporaryFolder.path,
      startProcess: (words) => startProcess(session.program, [...words, ...transportWords(flags)], process.cwd()),
      contractCache:
        flags.cache === false
          ? undefined
          : contractCache({ env: process.env, platform: process.platform, home: homedir() }),
    },
  };
}
