import { homedir, tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Dependencies, Screen } from "../../job/dependencies.ts";
import { spoolStdin } from "../../read/spool-stdin.ts";
import type { Clock } from "../../time/clock.ts";
import { contractCache, packageVersion } from "../installation.ts";
import type { Flags } from "../options/options.ts";
import { readSecrets, readStoreCredentials } from "../settings/read-credentials.ts";
import { listenForInterrupts } from "./interrupts.ts";
import type { Logger } from "./logger.ts";
import { createLogger, loggerOptionsOf } from "./logger.ts";
import { logExit } from "./process-exit.ts";
import { createProgress } from "./progress.ts";
import { reserveTemporaryFolder } from "./temporary-folder.ts";
import { ask, isLive, screenOf, stdoutWriter, watchStdout } from "./terminal.ts";

/**
 * Runs an action in the process's world and sets the exit code: the one that the action returns, that of the Failure
 * that it raises, or 70 for anything else, which is a bug and the only thing shown with its stack.
 */
export async function withContext(flags: Flags, action: (world: Context) => Promise<number>): Promise<void> {
  const world = createContext(flags);
  try {
    process.exitCode = await action(world);
  } catch (error) {
    world.close();
    process.exitCode = logExit(error, world.logger);
  } finally {
    world.close();
  }
}

/** The process's own world: terminal, clock, signals, environment. Made once per command. */
export interface Context {
  readonly dependencies: Dependencies;
  readonly logger: Logger;
  /** stderr, where `talk` speaks. */
  readonly stderrScreen: Screen;
  /** Takes a piece of what goes to stdout; waits while whoever reads is slow. */
  readonly write: (text: string) => Promise<void> | void;
  /** False once whoever read our stdout has gone. */
  readonly isStdoutOpen: () => boolean;
  /** Ends the progress display. Throw-away files go with the process. */
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

const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
