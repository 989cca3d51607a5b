import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdir, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { Failure } from "../../model/failure.ts";
import { readFailure } from "../text/file-bytes.ts";

/** A regular file and its state when it was found. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Device and inode: the same for two names of one file. */
  readonly identity: string;
  /** The sheet of a workbook that is asked for; none: the first. */
  readonly sheet?: string;
}

export interface FindOptions {
  /** The sheet of workbooks for which no other is named. */
  readonly defaultSheet?: string | undefined;
  readonly notify: NotifyFile;
  /** The most files and folders that each glob may look at; default: `MAX_GLOB_ENTRIES`. */
  readonly mostEntries?: number;
  /** Ends the search of a glob. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The files that `patterns` name: paths as they are, globs in order of name; `book.xlsx#Customers` names a sheet.
 * Raises `source_unreadable` for what is missing, not a regular file, or matched by nothing, and `usage` for a file
 * that is named twice; `usage` for a glob that visits more than `MAX_GLOB_ENTRIES`. A file whose name is not UTF-8 is left
 * out of what a glob matches, with a notice.
 */
export async function findFiles(
  patterns: readonly string[],
  { defaultSheet, notify, mostEntries = MAX_GLOB_ENTRIES, signal }: FindOptions,
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const pattern of patterns) {
    const { files, sheet = defaultSheet } = splitSheet(pattern);
    for (const path of await expand(files, { notify, mostEntries, signal }))
      found.push({ ...(await inspectFile(path)), ...(sheet !== undefined && { sheet }) });
  }
  refuseTwice(found);
  return found;
}

/**
 * The state of one file now. Raises `source_unreadable` unless it is a regular file.
 * @param instead what to give in place of a folder or a device; default: what serves as a source
 */
export async function inspectFile(path: string, instead?: string): Promise<FoundFile> {
  const stats = await stat(path).catch((error: unknown) => {
    throw readFailure(path, error);
  });
  if (!stats.isFile()) {
    throw new Failure("source_unreadable", `${path}: is ${specialKind(stats)}, not a regular file`, {
      hint: instead ?? sourceInstead(path, stats),
    });
  }
  return { path, bytes: stats.size, modifiedMs: stats.mtimeMs, identity: `${stats.dev}:${stats.ino}` };
}

/** A file may have the sign in its name: what exists is a file. */
function splitSheet(pattern: string): { readonly files: string; readonly sheet?: string } {
  const [, files, sheet] = /^(.+?\.xls[xm])#(.+)$/is.exec(pattern) ?? [];
  return files === undefined || sheet === undefined || existsSync(pattern) ? { files: pattern } : { files, sheet };
}

async function expand(
  pattern: string,
  { notify, mostEntries, signal }: Required<Pick<FindOptions, "notify" | "mostEntries">> & Pick<FindOptions, "signal">,
): Promise<readonly string[]> {
  // A file may have brackets in its name: what exists is not a pattern.
  if (existsSync(pattern)) return [pattern];
  const { glob, isDynamicPattern } = await import("tinyglobby");
  if (!isDynamicPattern(pattern)) return [pattern];
  const visits = countVisits(pattern, mostEntries, signal);
  const options = { absolute: true, dot: false, expandDirectories: false, fs: visits.fs, signal: visits.signal };
  const all = await Promise.race([glob([pattern], options), visits.stopped]);
  // The search ends without an error, with what it has found so far.
  visits.signal.throwIfAborted();
  const matches = all.filter((path) => isNamedInUnicode(path, notify));
  if (matches.length === 0) {
    throw new Failure("source_unreadable", `${pattern}: matches no file`, {
      hint: "check the folder that the pattern starts from, and quote the pattern so that the shell leaves it alone",
    });
  }
  return matches.toSorted().map((path) => (isAbsolute(pattern) ? path : relative(process.cwd(), path)));
}

/** Says something of a file that the user should know. */
type NotifyFile = (file: string, text: string) => void;

/** The most files and folders that a glob may look at. */
export const MAX_GLOB_ENTRIES = 200_000;

/** Ends a search that has gone through too many entries: `/**` is all that the machine holds. */
function countVisits(
  pattern: string,
  most: number,
  signal: AbortSignal | undefined,
): {
  readonly fs: { readonly readdir: typeof readdir };
  readonly signal: AbortSignal;
  /** Settles where the search is ended, which itself goes on with what it has begun. */
  readonly stopped: Promise<readonly string[]>;
} {
  const stop = new AbortController();
  let entries = 0;
  const lookAtSignal = (): void => {
    if (signal?.aborted !== true || stop.signal.aborted) return;
    stop.abort(new Failure("incomplete", `stopped while the files of ${pattern} were being sought`));
  };
  const note = (found: unknown): void => {
    entries += Array.isArray(found) ? found.length : 0;
    if (entries <= most || stop.signal.aborted) return;
    const what = `${pattern}: the pattern goes through more than ${most.toLocaleString("en")} files and folders`;
    stop.abort(new Failure("usage", what, { hint: "begin it with the folder that holds the sources" }));
  };
  const counted = (...given: readonly unknown[]): void => {
    const done = given.at(-1);
    lookAtSignal();
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
  const stopped = new Promise<readonly string[]>((resolve) => {
    stop.signal.addEventListener("abort", () => resolve([]));
  });
  const fs = { readdir: Object.assign(counted, readdir) };
  return { fs, signal: stop.signal, stopped };
}

/** Node.js cannot open a file by a name that it could not read. */
function isNamedInUnicode(path: string, notify: NotifyFile): boolean {
  if (!path.includes("\u{FFFD}") || existsSync(path)) return true;
  notify(path, "is left out: its name is not UTF-8; rename it");
  return false;
}

function sourceInstead(path: string, stats: Stats): string {
  return stats.isDirectory() ? `name its files: "${path}/*.csv"` : "give a file, or - for standard input";
}

function specialKind(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

function refuseTwice(found: readonly FoundFile[]): void {
  const seen = new Map<string, string>();
  for (const { identity, path, sheet } of found) {
    const place = `${identity} ${sheet?.toLowerCase() ?? ""}`;
    const other = seen.get(place);
    if (other !== undefined) {
      throw new Failure("usage", `the same file is named twice: ${other} and ${path}`, {
        hint: "name it once: its records would be read twice",
      });
    }
    seen.set(place, path);
  }
}

/** What a run remembers of a file, to know it again. */
export interface FileFingerprint {
  readonly file: string;
  /** On disk, packed if it is. */
  readonly bytes: number;
  /** Of the bytes on disk, in hex. */
  readonly sha256: string;
  readonly modifiedMs: number;
}

/** Reads the file once, a piece at a time. Raises `source_unreadable`. */
export async function fingerprintFile(path: string): Promise<FileFingerprint> {
  const { bytes, modifiedMs } = await inspectFile(path);
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk);
  } catch (error) {
    throw readFailure(path, error);
  }
  return { file: path, bytes, sha256: hash.digest("hex"), modifiedMs };
}
