import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";
import { errorCode, unlessMissing } from "../../files/error-code.ts";
import { Failure } from "../../model/failure.ts";
import {
  END_FRAME_BYTES,
  endsInZeros,
  type JournalEntry,
  MAGIC,
  MAX_PAYLOAD_BYTES,
  parseFrame,
} from "./journal-format.ts";

/**
 * How a journal ends: properly (`whole`), with an entry that was cut off by a kill or a power failure (`torn`), or with
 * corrupt data (`corrupt`).
 */
export interface JournalEnd {
  readonly state: "whole" | "torn" | "corrupt";
  /** Number of bytes up to the end of the last readable entry. */
  readonly validBytes: number;
}

const READ_BYTES = 256 * 1024;

/**
 * Reads a journal from its beginning. Holds at most one entry and one chunk in memory.
 * @throws Failure `storage` if the file cannot be read
 */
export function* readJournal(file: string): Generator<JournalEntry, JournalEnd> {
  const descriptor = opened(file);
  try {
    const start = Buffer.alloc(MAGIC.length);
    const read = readSync(descriptor, start, 0, start.length, 0);
    if (!start.subarray(0, read).equals(MAGIC.subarray(0, read))) return { state: "corrupt", validBytes: 0 };
    if (read < MAGIC.length) return { state: "torn", validBytes: 0 };
    return yield* readFrames(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function opened(file: string): number {
  try {
    return openSync(file, "r");
  } catch (cause) {
    if (errorCode(cause) === undefined) throw cause;
    throw new Failure("storage", `the journal ${file} cannot be read`, {
      hint: "grant this user read access to the file, then run the same command again",
      cause,
    });
  }
}

function* readFrames(descriptor: number): Generator<JournalEntry, JournalEnd> {
  let buffer = Buffer.alloc(0);
  let validBytes = MAGIC.length;
  /** Position of the last entry that was read a second time. */
  let reread = 0;
  for (let position = validBytes; ;) {
    const parsed = parseFrame(buffer);
    if (parsed.state === "entry") {
      yield parsed.entry;
      buffer = buffer.subarray(parsed.bytes);
      validBytes += parsed.bytes;
      continue;
    }
    const chunk = Buffer.alloc(parsed.state === "corrupt" ? MAX_PAYLOAD_BYTES : READ_BYTES);
    const read = readSync(descriptor, chunk, 0, chunk.length, position);
    position += read;
    const rest = Buffer.concat([buffer, chunk.subarray(0, read)]);
    if (parsed.state === "corrupt") {
      if (read < chunk.length && endsInZeros(rest)) return { state: "torn", validBytes };
      if (reread === validBytes) return { state: "corrupt", validBytes };
      // Another process may have been writing this entry while it was read, so the entry is read once more.
      reread = validBytes;
      position = validBytes;
      buffer = Buffer.alloc(0);
      continue;
    }
    if (read === 0) return { state: buffer.length === 0 ? "whole" : "torn", validBytes };
    buffer = rest;
  }
}

/** Returns the last entry of a journal whose last run ended properly; undefined for any other journal. */
export function readLastEntry(file: string): Extract<JournalEntry, { readonly kind: "end" }> | undefined {
  const descriptor = opened(file);
  try {
    const bytes = Buffer.alloc(END_FRAME_BYTES);
    const from = fstatSync(descriptor).size - END_FRAME_BYTES;
    if (from < MAGIC.length || readSync(descriptor, bytes, 0, bytes.length, from) < bytes.length) return undefined;
    const parsed = parseFrame(bytes);
    return parsed.state === "entry" && parsed.entry.kind === "end" ? parsed.entry : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the first entry of a journal; undefined if the entry cannot be read. The first entry names the ledger. */
export function readLedgerOf(file: string): Extract<JournalEntry, { readonly kind: "ledger" }> | undefined {
  const entries = readJournal(file);
  const first = entries.next();
  // Closes the file.
  entries.return({ state: "whole", validBytes: 0 });
  return first.done !== true && first.value.kind === "ledger" ? first.value : undefined;
}

const EXTENSION = ".log";

/** Returns the paths of all journals in a folder, for any ledger; an empty list if the folder does not exist. */
export function journalFiles(folder: string): readonly string[] {
  const names = unlessMissing(() => readdirSync(folder)) ?? [];
  return names
    .filter((name) => name.endsWith(EXTENSION))
    .toSorted()
    .map((name) => path.join(folder, name));
}

/**
 * Returns the path of the journal for the runs of a ledger.
 * @param id the id of the ledger's first run
 */
export function journalFile(folder: string, ledgerName: string, id: string): string {
  return path.join(folder, `${nameInFile(ledgerName)}-${id}${EXTENSION}`);
}

/** Returns the name that represents a ledger in the file names of its journals. */
export function nameInFile(ledgerName: string): string {
  return path
    .basename(ledgerName)
    .replaceAll(/[^\w.-]/g, "_")
    .slice(-80);
}

/** Parses the file name of a journal (`journalFile`). Returns undefined if the file was renamed. */
export function ledgerInName(file: string): { readonly name: string; readonly id: string } | undefined {
  const [, name, id] = /^(.+)-(\d{8}-\d{4}-[0-9a-f]{4}|[0-9a-f]{16})\.log$/.exec(path.basename(file)) ?? [];
  return name === undefined || id === undefined ? undefined : { name, id };
}
