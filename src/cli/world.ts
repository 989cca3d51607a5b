import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../model/clock.ts";
import { spoolStdin } from "../read/spool.ts";
import type { Parts } from "../run/parts.ts";
import type { Flags } from "./flags.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { createProgress } from "./progress.ts";
import { readSecrets } from "./secrets.ts";
import type { Talk } from "./talk.ts";
import { createTalk } from "./talk.ts";
import { packageVersion } from "./version.ts";

/** The process's own world: terminal, clock, signals, environment. Made once per command. */
export interface World {
  readonly parts: Parts;
  readonly talk: Talk;
  /** Takes a piece of what goes to stdout; waits while whoever reads is slow. */
  readonly write: (text: string) => Promise<void> | void;
  /** Ends the progress display and removes throw-away files. */
  readonly close: () => void;
}

export function createWorld(flags: Flags): World {
  const talk = createTalk({
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
    logFormat: flags.logFormat ?? "text",
    write: (text) => process.stderr.write(text),
  });
  const progress = createProgress(talk, { live: isLive(flags), quiet: flags.quiet ?? false });
  const interrupts = listenForInterrupts(() => {
    talk.notice("Stopping. Press Ctrl-C again to stop at once.");
  });
  const temporaryFolder = path.join(tmpdir(), `migrate-${process.pid}-${randomBytes(4).toString("hex")}`);
  const removeTemporaryFolder = (): void => rmSync(temporaryFolder, { recursive: true, force: true });
  process.once("exit", removeTemporaryFolder);
  return {
    talk,
    write: writeToStdout,
    close: progress.stop,
    parts: {
      notice: progress.above,
      onCheck: progress.onCheck,
      onUpload: progress.onUpload,
      ...interrupts,
      clock: systemClock,
      random: Math.random,
      secrets: (files) => readSecrets(process.env, files),
      userAgent: `energy-migrate/${packageVersion()}`,
      ask,
      copyStandardInput: (folder) => spoolStdin(process.stdin, folder),
      screen: { colour: hasColour(flags), width: process.stdout.columns || 80 },
      temporaryFolder,
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

function isLive(flags: Flags): boolean {
  return (
    process.stderr.isTTY &&
    process.stderr.columns > 0 &&
    process.stderr.columns > 0 &&
    flags.logFormat !== "json" &&
    process.env["CI"] === undefined &&
    process.env["TERM"] !== "dumb"
  );
}

/** https://no-color.org */
function hasColour(flags: Flags): boolean {
  return flags.color !== false && !process.env["NO_COLOR"] && process.stdout.isTTY && process.env["TERM"] !== "dumb";
}

function writeToStdout(text: string): Promise<void> | void {
  if (!process.stdout.writable || process.stdout.write(text)) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      process.stdout.off("drain", done).off("close", done).off("error", done);
      resolve();
    };
    process.stdout.once("drain", done).once("close", done).once("error", done);
  });
}

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
