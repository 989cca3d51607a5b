import type { Readable, Writable } from "node:stream";
import type { Dependencies } from "../../job/dependencies.ts";
import type { Clock } from "../../time/clock.ts";

/** A stream of the process; a terminal says so, and how wide it is. */
type Terminal<Stream> = Stream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * The process that one command line runs in. `start-program.ts` gives the real one; a test gives streams, signals and a
 * clock of its own, and sets the working folder and the environment, which belong to the whole process.
 */
export interface Session {
  /** The file that was started; `startProcess` starts it again. */
  readonly program: string;
  /** The words after the program's name. */
  readonly words: readonly string[];
  readonly stdin: Terminal<Readable>;
  readonly stdout: Terminal<Writable>;
  readonly stderr: Terminal<Writable>;
  readonly clock: Clock;
  /** Starts to listen for signals; calls `onFirst` with the first. */
  readonly listen: (onFirst: () => void) => Pick<Dependencies, "drain" | "abort">;
  /** Set by the command when it ends. */
  exitCode: number;
}
