import { writeSync } from "node:fs";
import { plainLines } from "../../text/plain-text.ts";

// Captured before the user's module is loaded, because the module may replace these methods.
const { wait } = Atomics;
const pause = new Int32Array(new SharedArrayBuffer(4));
const bytesOf: (text: string) => Uint8Array = Buffer.from.bind(Buffer);
const utf8 = new TextDecoder();
const decode = (bytes: Uint8Array): string => utf8.decode(bytes);

const STDERR = 2;
const PAUSE_MS = 10;
const MAX_PAUSES = 100;

type Chunk = string | Uint8Array;

/** Redirects the output of functions (stdout and stderr) to stderr, with terminal control sequences made visible. */
export function redirectOutput(): void {
  const writing = {
    _write: (chunk: Chunk, _encoding: string, wrote: () => void): void => {
      writeToStderr(chunk);
      wrote();
    },
    _writev: (chunks: readonly { readonly chunk: Chunk }[], wrote: () => void): void => {
      for (let at = 0; at < chunks.length; at += 1) writeToStderr(chunks[at]?.chunk ?? "");
      wrote();
    },
  };
  Object.assign(process.stdout, writing);
  Object.assign(process.stderr, writing);
}

/** Writes synchronously, because output that a thread passes to its parent is lost if the parent ends first. */
function writeToStderr(chunk: Chunk): void {
  const bytes = bytesOf(visible(chunk));
  let written = 0;
  for (let pauses = 0; written < bytes.length && pauses < MAX_PAUSES;) {
    try {
      written += writeSync(STDERR, bytes, written);
    } catch (error) {
      if (typeof error !== "object" || error === null || !("code" in error) || error.code !== "EAGAIN") break;
      // The reader is busy.
      wait(pause, 0, 0, PAUSE_MS);
      pauses += 1;
    }
  }
}

/**
 * Returns the text with control sequences made visible; "" if the module has broken the built-ins that this function
 * needs.
 */
function visible(chunk: Chunk): string {
  try {
    return plainLines(typeof chunk === "string" ? chunk : decode(chunk));
  } catch {
    return "";
  }
}
