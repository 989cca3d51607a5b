import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Screen } from "../../job/dependencies.ts";
import type { Flags } from "../options/options.ts";

const DEFAULT_WIDTH = 80;
const YIELD_EVERY_MS = 50;

/** Width and colours of one of the process's outputs. JSON lines are never coloured. */
export function screenOf(stream: NodeJS.WriteStream, flags: Pick<Flags, "color" | "logFormat">): Screen {
  const colour = flags.color !== false && flags.logFormat !== "json" && isColoured(stream, process.env);
  return { colour, width: stream.columns || DEFAULT_WIDTH };
}

/** As https://no-color.org and https://force-color.org say, the first of them above the second; else on a terminal. */
function isColoured({ isTTY }: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: forced = "" } = env;
  return forced === "" ? isTTY && env["TERM"] !== "dumb" : !SWITCHED_OFF.includes(forced);
}

/** Values by which people and CI systems say no. */
const SWITCHED_OFF = ["0", "false"];

/** Whether it is a terminal, and not a file or a pipe. */
export function isTerminal({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY;
}

/** The function returns false once the reader of stdout has closed it (`| head`). */
export function watchStdout(): () => boolean {
  let isOpen = true;
  process.stdout.once("error", () => {
    isOpen = false;
  });
  return () => isOpen;
}

/** The text in place of all that the screen shows: from its top, each line to its end, and nothing below. */
export function redraw(text: string): string {
  return `\u001b[H${text.replaceAll("\n", "\u001b[K\n")}\u001b[J`;
}

/** Whether stderr can show a line that changes. */
export function isLive(flags: Pick<Flags, "quiet" | "logFormat">): boolean {
  const { isTTY, columns } = process.stderr;
  const isInCi = !["", ...SWITCHED_OFF].includes(process.env["CI"] ?? "");
  const wanted = flags.quiet !== true && flags.logFormat !== "json" && !isInCi;
  return wanted && isTTY && columns > 0 && process.env["TERM"] !== "dumb";
}

/**
 * Writes to stdout. Waits while the reader is slow; where it never is, yields now and then so that signals are handled.
 */
export function stdoutWriter(now: () => number): (text: string | Uint8Array) => Promise<void> | void {
  let yieldAt = now() + YIELD_EVERY_MS;
  return (text) => {
    if (!process.stdout.writable) return undefined;
    if (!process.stdout.write(text)) return drained();
    if (now() < yieldAt) return undefined;
    yieldAt = now() + YIELD_EVERY_MS;
    return yieldToEventLoop();
  };
}

function drained(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      process.stdout.off("drain", done).off("close", done).off("error", done);
      resolve();
    };
    process.stdout.once("drain", done).once("close", done).once("error", done);
  });
}

/** Whether somebody can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** A typed answer; undefined where nobody can type, and after Ctrl-C or Ctrl-D. */
export async function ask(question: string): Promise<string | undefined> {
  if (!canAsk()) return undefined;
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const given = new AbortController();
  lines.once("close", () => given.abort());
  try {
    return await lines.question(question, { signal: given.signal });
  } catch (error) {
    if (given.signal.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}
