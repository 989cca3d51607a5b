import { Readable, Writable } from "node:stream";
import type { Session } from "../../src/cli/process/session.ts";
import { systemClock } from "../../src/time/system-clock.ts";

/** A session for tests that inspect the command line without running a command. */
export const IDLE_SESSION: Session = {
  program: "",
  words: [],
  stdin: Readable.from([]),
  stdout: new Writable(),
  stderr: new Writable(),
  clock: systemClock,
  listen: () => ({ drain: new AbortController().signal, abort: new AbortController().signal }),
  exitCode: 0,
};
