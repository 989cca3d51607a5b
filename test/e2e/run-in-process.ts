import { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type * as programModule from "../../src/cli/run-program.ts";
import type { Session } from "../../src/cli/process/session.ts";
import { systemClock } from "../../src/time/system-clock.ts";

export interface InProcessOptions {
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string | Uint8Array;
  /** Aborts like the first Ctrl-C. */
  readonly drain?: AbortSignal;
}

export interface InProcessEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line of the built program in this process, with streams of its own. The working folder and the
 * environment belong to the process, so commands run one after the other.
 */
export function runInProcess(words: readonly string[], options: InProcessOptions): Promise<InProcessEnd> {
  const turn = lastTurn.then(() => withSurroundings(options, () => run(words, options)));
  lastTurn = turn.catch(() => undefined);
  return turn;
}

let lastTurn: Promise<unknown> = Promise.resolve();

async function run(words: readonly string[], options: InProcessOptions): Promise<InProcessEnd> {
  const [stdout, stderr] = [collectText(), collectText()];
  const { drain = new AbortController().signal } = options;
  const session: Session = {
    program: options.program,
    words,
    stdin: Readable.from(options.input.length === 0 ? [] : [Buffer.from(options.input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    clock: systemClock,
    listen: () => ({ drain, abort: new AbortController().signal }),
    exitCode: 0,
  };
  const { runProgram } = await loadProgram();
  const code = await runProgram(session);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

/** The bundle that users get. */
function loadProgram(): Promise<typeof programModule> {
  return import(/* @vite-ignore */ new URL("../../dist/program/run-program.js", import.meta.url).href);
}

function collectText(): { readonly stream: Writable; readonly text: () => string } {
  const decoder = new StringDecoder("utf8");
  let text = "";
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      text += decoder.write(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => text };
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

/** In place: threads and the system's own library read the same variables. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}
