import { homedir, tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../model/clock.ts";
import { spoolStdin } from "../read/spool.ts";
import type { Parts, Screen } from "../run/parts.ts";
import { contractCache } from "./contract-cache-place.ts";
import type { Flags } from "./flags.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { createProgress } from "./progress.ts";
import { readSecrets } from "./secrets.ts";
import { readStoreCredentials } from "./store-credentials.ts";
import type { Talk } from "./talk.ts";
import { createTalk, talkOptionsOf } from "./talk.ts";
import { ask, isLive, screenOf, stdoutWriter, watchReader } from "./terminal.ts";
import { throwAwayFolder } from "./throw-away-folder.ts";
import { packageVersion } from "./version.ts";

/** The process's own world: terminal, clock, signals, environment. Made once per command. */
export interface World {
  readonly parts: Parts;
  readonly talk: Talk;
  /** stderr, where `talk` speaks. */
  readonly talkScreen: Screen;
  /** Takes a piece of what goes to stdout; waits while whoever reads is slow. */
  readonly write: (text: string) => Promise<void> | void;
  /** False once whoever read our stdout has gone. */
  readonly isRead: () => boolean;
  /** Ends the progress display. Throw-away files go with the process. */
  readonly close: () => void;
}

export function createWorld(flags: Flags): World {
  const talk = createTalk(talkOptionsOf(flags));
  const talkScreen = screenOf(process.stderr, flags);
  const monotonic = systemClock.monotonic;
  const progress = createProgress(talk, { live: isLive(flags), colour: talkScreen.colour }, monotonic);
  const interrupts = listenForInterrupts(() => progress.above("Stopping. Press Ctrl-C again to stop at once."));
  const temporaryFolder = throwAwayFolder();
  return {
    talk,
    talkScreen,
    write: stdoutWriter(monotonic),
    isRead: watchReader(),
    close: progress.stop,
    parts: {
      notice: progress.above,
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
