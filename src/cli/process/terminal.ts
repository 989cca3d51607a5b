import { createInterface } from "node:readline/promises";
import { setImmediate as turn } from "node:timers/promises";
import type { Screen } from "../../job/dependencies.ts";
import type { Flags } from "../options/options.ts";

const DEFAULT_WIDTH = 80;
const YIELD_EVERY_MS = 50;

/** How one of the process's outputs is to be written to; colours as https://no-color.org has it. */
export function screenOf(stream: NodeJS.WriteStream, flags: Pick<Flags, "color" | "logFormat">): Screen {
  const wanted = flags.color !== false && !process.env["NO_COLOR"];
  const able = stream.isTTY && process.env["TERM"] !== "dumb";
  return { colour: wanted && able && flags.logFormat !== "json", width: stream.columns || DEFAULT_WIDTH };
}

/** Whether a person looks at it. */
export function isTerminal({ isTTY }: NodeJS.WriteStream): boolean {
  return isTTY;
}

/** Gives false once whoever read our output has gone (`| head`). */
export function watchStdout(): () => boolean {
  let reads = true;
  process.stdout.once("error", () => {
    reads = false;
  });
  return () => reads;
}

/** Whether somebody sees a line on stderr that changes. */
export function isLive(flags: Pick<Flags, "quiet" | "logFormat">): boolean {
  const { isTTY, columns } = process.stderr;
  const wanted = flags.quiet !== true && flags.logFormat !== "json" && process.env["CI"] === undefined;
  return wanted && isTTY && columns > 0 && process.env["TERM"] !== "dumb";
}

/** Writes to stdout: waits while whoever reads is slow, and lets signals through while the disk is fast. */
export function stdoutWriter(now: () => number): (text: string) => Promise<void> | void {
  let turnAt = now() + YIELD_EVERY_MS;
  return (text) => {
    if (!process.stdout.writable) return undefined;
    if (!process.stdout.write(text)) return drained();
    if (now() < turnAt) return undefined;
    turnAt = now() + YIELD_EVERY_MS;
    return turn();
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

/** A typed answer; undefined where nobody can type, and after Ctrl-C or Ctrl-D. */
export async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
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
