import { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type * as programModule from "../../src/cli/run-program.ts";
import type { Session } from "../../src/cli/process/session.ts";
import { systemClock } from "../../src/time/system-clock.ts";

export interface InProcessOptions {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
}

export interface InProcessEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that keeps running after its start. */
export interface InProcessCommand {
  readonly ended: Promise<InProcessEnd>;
  /** Ends the command as the first Ctrl-C does. */
  readonly drain: () => void;
  /** Calls the listener with each later chunk of stderr. */
  readonly onStderr: (listener: (text: string) => void) => void;
}

/**
 * Runs a command line of the built program in this process, with its own streams. The working folder and the
 * environment belong to the process, so commands run one after another.
 */
export function runInProcess(words: readonly string[], options: InProcessOptions): Promise<InProcessEnd> {
  return takeTurn(() => withSurroundings(options, async () => (await start(words, options)).ended));
}

/** Starts a command that keeps running. The next command can begin once `isReady` resolves or the command has ended. */
export function startInProcess(
  words: readonly string[],
  options: InProcessOptions,
  isReady: (ended: Promise<InProcessEnd>) => Promise<void>,
): Promise<InProcessCommand> {
  return takeTurn(() =>
    withSurroundings(options, async () => {
      const command = await start(words, options);
      await isReady(command.ended);
      return command;
    }),
  );
}

let lastTurn: Promise<unknown> = Promise.resolve();

function takeTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(work);
  lastTurn = turn.catch(() => undefined);
  return turn;
}

async function start(words: readonly string[], { program, input = "" }: InProcessOptions): Promise<InProcessCommand> {
  const [stdout, stderr] = [collectText(), collectText()];
  const [drain, abort] = [new AbortController(), new AbortController()];
  const session: Session = {
    program,
    words,
    stdin: Readable.from(input.length === 0 ? [] : [Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    clock: systemClock,
    listen: () => ({ drain: drain.signal, abort: abort.signal }),
    exitCode: 0,
  };
  const { runProgram } = await loadProgram();
  const ended = runProgram(session).then((code) => ({ code, stdout: stdout.text(), stderr: stderr.text() }));
  return { ended, drain: () => drain.abort(), onStderr: stderr.onText };
}

/** Loads the bundle that users install. */
function loadProgram(): Promise<typeof programModule> {
  return import(/* @vite-ignore */ new URL("../../dist/program/run-program.js", import.meta.url).href);
}

interface CollectedText {
  readonly stream: Writable;
  readonly text: () => string;
  readonly onText: (listener: (text: string) => void) => void;
}

function collectText(): CollectedText {
  const decoder = new StringDecoder("utf8");
  const listeners: ((text: string) => void)[] = [];
  let text = "";
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      const more = decoder.write(Buffer.from(chunk));
      text += more;
      for (const listener of listeners) listener(more);
      done();
    },
  });
  return { stream, text: () => text, onText: (listener) => void listeners.push(listener) };
}

async function withSurroundings<T>({ cwd, env }: InProcessOptions, work: () => Promise<T>): Promise<T> {
  const before = { cwd: process.cwd(), env: { ...process.env } };
  process.chdir(cwd);
  setEnvironment(env);
  try {
    return await work();
  } finally {
    process.chdir(before.cwd);
    setEnvironment(before.env);
  }
}

/** Changes `process.env` in place, because threads and native libraries read the same variables. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}
