import type { Readable, Writable } from "node:stream";
import type { StopSignals } from "../../job/dependencies.ts";
import type { Clock } from "../../time/clock.ts";

/** A stream of the process. If it is a terminal, it has a width. */
type Terminal<Stream> = Stream & { readonly isTTY?: boolean; readonly columns?: number };

/**
 * The process that runs one command line. `start-program.ts` passes the real process. Tests pass their own streams,
 * signals and clock. They also set the working folder and the environment, which are global to the process.
 */
export interface Session {
  /** Path of the program file. `startProcess` runs it in another process. */
  readonly program: string;
  /** The command-line arguments after the program name. */
  readonly words: readonly string[];
  readonly stdin: Terminal<Readable>;
  readonly stdout: Terminal<Writable>;
  readonly stderr: Terminal<Writable>;
  readonly clock: Clock;
  /** Starts listening for signals, and calls `onFirst` for the first signal. */
  readonly listen: (onFirst: () => void) => StopSignals;
  /** Set by the command before it ends. */
  exitCode: number;
}

/** The action of a command. Commander passes the arguments and then the options of the command line. */
type Action<Given extends readonly unknown[]> = (session: Session, ...given: Given) => void | Promise<void>;

/** Returns a listener that loads the action when the command runs. */
export function onDemand<Given extends readonly unknown[]>(
  session: Session,
  load: () => Promise<Action<Given>>,
): (...given: Given) => Promise<void> {
  return async (...given) => (await load())(session, ...given);
}
