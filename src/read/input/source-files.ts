import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdir, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { Failure } from "../../model/failure.ts";
import { formatCount } from "../../text/count.ts";
import { readFailure } from "../text/file-bytes.ts";

/** A regular file and its state when it was found. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Device and inode: the same for two names of one file. */
  readonly identity: string;
  /** The requested sheet of a workbook; default: the first visible sheet. */
  readonly sheet?: string;
}

export interface FindOptions {
  /** The sheet to read from a workbook if the pattern names no sheet. */
  readonly defaultSheet?: string | undefined;
  readonly notify: NotifyFile;
  /** Returns the name of a file in messages; default: its path. */
  readonly displayName?: (path: string) => string;
  /** Maximum number of files and folders that each glob may visit; default: `MAX_GLOB_ENTRIES`. */
  readonly maxEntries?: number;
  /** Aborts the search for the matches of a glob. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds the files that match `patterns`, in the order of the patterns; the matches of a glob are sorted by name. In
 * `book.xlsx#Customers`, `Customers` is a sheet. A glob omits files whose names are not UTF-8, and shows a notice.
 * @throws Failure `source_unreadable` for a path that is missing or not a regular file, and for a glob without matches;
 * `usage` for a file that is named twice, and for a glob that visits more than `maxEntries` files and folders;
 * `incomplete` if the signal is aborted during a glob
 */
export async function findFiles(patterns: readonly string[], options: FindOptions): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const pattern of patterns) {
    const { files, sheet = options.defaultSheet } = splitSheet(pattern);
    for (const path of await expand(files, options))
      found.push({ ...(await inspectFile(path)), ...(sheet !== undefined && { sheet }) });
  }
  refuseDuplicates(found, options.displayName);
  return found;
}

/**
 * Returns the current state of one file.
 * @param instead hint for a folder or a device; default: a hint for sources
 * @throws Failure `source_unreadable` unless it is a regular file
 */
export async function inspectFile(path: string, instead?: string): Promise<FoundFile> {
  const stats = await stat(path).catch((error: unknown) => {
    throw readFailure(path, error);
  });
  if (!stats.isFile()) {
    throw new Failure("source_unreadable", `${path}: is ${specialKind(stats)}, not a regular file`, {
      hint: instead ?? sourceInstead(path, stats),
      file: path,
    });
  }
  return { path, bytes: stats.size, modifiedMs: stats.mtimeMs, identity: `${stats.dev}:${stats.ino}` };
}

/** Splits `book.xlsx#Customers` into file and sheet, unless a file with this name exists. */
function splitSheet(pattern: string): { readonly files: string; readonly sheet?: string } {
  const [, files, sheet] = /^(.+?\.xls[xm])#(.+)$/is.exec(pattern) ?? [];
  return files === undefined || sheet === undefined || existsSync(pattern) ? { files: pattern } : { files, sheet };
}

async function expand(
  pattern: string,
  { notify, maxEntries = MAX_GLOB_ENTRIES, signal }: FindOptions,
): Promise<readonly string[]> {
  // A file name may contain glob characters, so an existing file takes precedence over a glob.
  if (existsSync(pattern)) return [pattern];
  const { glob, isDynamicPattern } = await import("tinyglobby");
  if (!isDynamicPattern(pattern)) return [pattern];
  const visits = countVisits(pattern, maxEntries, signal);
  const options = { absolute: true, dot: false, expandDirectories: false, fs: visits.fs, signal: visits.signal };
  const all = await Promise.race([glob([pattern], options), visits.stopped]);
  // After an abort, the search returns the matches so far without an error.
  visits.signal.throwIfAborted();
  const matches = all.filter((path) => isNamedInUnicode(path, notify));
  if (matches.length === 0) {
    throw new Failure("source_unreadable", `${pattern}: matches no file`, {
      hint: "check the folder at the start of the pattern, and quote the pattern so that the shell does not expand it",
    });
  }
  return matches.toSorted().map((path) => (isAbsolute(pattern) ? path : relative(process.cwd(), path)));
}

type NotifyFile = (file: string, text: string) => void;

/** Maximum number of files and folders that a glob may visit. */
export const MAX_GLOB_ENTRIES = 200_000;

/**
 * Aborts a search that has visited too many entries (`/**`, for example, matches every file on the machine), or whose
 * signal is aborted.
 */
function countVisits(pattern: string, max: number, signal: AbortSignal | undefined) {
  const stop = new AbortController();
  let entries = 0;
  const checkSignal = (): void => {
    if (signal?.aborted !== true || stop.signal.aborted) return;
    stop.abort(new Failure("incomplete", `stopped while searching for files that match ${pattern}`));
  };
  const note = (found: unknown): void => {
    entries += Array.isArray(found) ? found.length : 0;
    if (entries <= max || stop.signal.aborted) return;
    const what = `${pattern}: the pattern covers more than ${formatCount(max)} files and folders`;
    stop.abort(new Failure("usage", what, { hint: "begin the pattern with the folder that contains the sources" }));
  };
  const counted = (...given: readonly unknown[]): void => {
    const done = given.at(-1);
    checkSignal();
    if (stop.signal.aborted) {
      if (typeof done === "function") Reflect.apply(done, undefined, [null, []]);
      return;
    }
    Reflect.apply(readdir, undefined, [
      ...given.slice(0, -1),
      (...result: readonly unknown[]): void => {
        note(result[1]);
        const isStopped = stop.signal.aborted;
        if (typeof done === "function") Reflect.apply(done, undefined, isStopped ? [null, []] : result);
      },
    ]);
  };
  /** Resolves when the search is aborted; the search itself continues with the entries in progress. */
  const stopped = new Promise<readonly string[]>((resolve) => {
    stop.signal.addEventListener("abort", () => resolve([]));
  });
  const fs = { readdir: Object.assign(counted, readdir) };
  return { fs, signal: stop.signal, stopped };
}

/** Whether the file name is UTF-8. If not, shows a notice, because Node.js cannot open the file. */
function isNamedInUnicode(path: string, notify: NotifyFile): boolean {
  if (!path.includes("\u{FFFD}") || existsSync(path)) return true;
  notify(path, "is ignored, because its name is not UTF-8; rename it");
  return false;
}

function sourceInstead(path: string, stats: Stats): string {
  return stats.isDirectory() ? `name its files: "${path}/*.csv"` : "use a file, or - for standard input";
}

function specialKind(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

function refuseDuplicates(found: readonly FoundFile[], displayName = (path: string): string => path): void {
  const seen = new Map<string, string>();
  for (const { identity, path, sheet } of found) {
    const place = `${identity} ${sheet?.toLowerCase() ?? ""}`;
    const other = seen.get(place);
    if (other !== undefined) {
      throw new Failure("usage", `the same file is named twice: ${displayName(other)} and ${displayName(path)}`, {
        hint: "name it only once; otherwise its records would be read twice",
      });
    }
    seen.set(place, path);
  }
}

/** The fingerprint of a file, used to detect changes. */
export interface FileFingerprint {
  readonly file: string;
  /** Size on disk, before unpacking. For a part of a file, the length of the part. */
  readonly bytes: number;
  /** Hash of these bytes, in hex. */
  readonly sha256: string;
  readonly modifiedMs: number;
}

/**
 * Computes the fingerprint of a file. Reads the file once, in chunks.
 * @param length number of bytes at the start of the file; default: all
 * @throws Failure `source_unreadable` if the file cannot be read
 */
export async function fingerprintFile(path: string, length?: number): Promise<FileFingerprint> {
  const { bytes: size, modifiedMs } = await inspectFile(path);
  const bytes = Math.min(length ?? size, size);
  const hash = createHash("sha256");
  try {
    const part = length === undefined ? {} : { end: bytes - 1 };
    if (bytes > 0)
      for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20, ...part })) hash.update(chunk);
  } catch (error) {
    throw readFailure(path, error);
  }
  return { file: path, bytes, sha256: hash.digest("hex"), modifiedMs };
}
