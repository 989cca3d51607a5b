import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Screen } from "../../job/dependencies.ts";
import type { Flags } from "../options/options.ts";
import type { Session } from "./session.ts";

type Output = Session["stdout"];

const DEFAULT_WIDTH = 80;
const YIELD_EVERY_MS = 50;

/**
 * Returns the width of an output stream and whether it is coloured. JSON lines are never coloured. Tables in files and
 * pipes have no maximum width.
 */
export function screenOf(stream: Output, flags: Flags): Screen {
  const colour = flags.color !== false && flags.logFormat !== "json" && isColoured(stream, process.env);
  const width = stream.columns || DEFAULT_WIDTH;
  return { colour, width, tableWidth: isTerminal(stream) ? width : Number.POSITIVE_INFINITY };
}

/**
 * Whether to colour an output. Follows https://no-color.org, then https://force-color.org. Otherwise, colours only
 * terminals.
 */
function isColoured({ isTTY = false }: Output, env: NodeJS.ProcessEnv): boolean {
  if (env["NO_COLOR"]) return false;
  const { FORCE_COLOR: forced = "" } = env;
  return forced === "" ? isTTY && env["TERM"] !== "dumb" : !SWITCHED_OFF.includes(forced);
}

/** Values that people and CI systems use for "no". */
const SWITCHED_OFF = ["0", "false"];

export function isTerminal({ isTTY = false }: Output): boolean {
  return isTTY;
}

/** Returns a function that returns false once the reader has closed stdout (`| head`). */
export function watchStdout(stdout: Output): () => boolean {
  let isOpen = true;
  stdout.once("error", () => {
    isOpen = false;
  });
  return () => isOpen;
}

/**
 * Returns text that replaces the content of the screen. It starts at the top, and clears the rest of each line and
 * everything below.
 */
export function redraw(text: string): string {
  return `\u001b[H${text.replaceAll("\n", "\u001b[K\n")}\u001b[J`;
}

/** Whether stderr can show a line that is updated in place. */
export function isLive({ isTTY = false, columns = 0 }: Output, flags: Flags): boolean {
  const isInCi = !["", ...SWITCHED_OFF].includes(process.env["CI"] ?? "");
  const wanted = flags.quiet !== true && flags.logFormat !== "json" && !isInCi;
  return wanted && isTTY && columns > 0 && process.env["TERM"] !== "dumb";
}

/**
 * Returns a function that writes to stdout. The writer waits while the reader is slow. If the reader is fast, the
 * writer regularly yields to the event loop, so that signals are handled.
 */
export function stdoutWriter(stdout: Output, now: () => number): (text: string | Uint8Array) => Promise<void> | void {
  let yieldAt = now() + YIELD_EVERY_MS;
  return (text) => {
    if (!stdout.writable) return undefined;
    if (!stdout.write(text)) return drained(stdout);
    if (now() < yieldAt) return undefined;
    yieldAt = now() + YIELD_EVERY_MS;
    return yieldToEventLoop();
  };
}

function drained(stdout: Output): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdout.off("drain", done).off("close", done).off("error", done);
      resolve();
    };
    stdout.once("drain", done).once("close", done).once("error", done);
  });
}

export function canAsk({ stdin, stderr }: Session): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Returns the typed answer; undefined if there is no terminal, or if the user presses Ctrl-C or Ctrl-D. */
export async function ask(question: string, session: Session): Promise<string | undefined> {
  if (!canAsk(session)) return undefined;
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: session.stdin, output: session.stderr });
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
