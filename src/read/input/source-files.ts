import { createHash } from "node:crypto";
import { createReadStream, existsSync, type Stats } from "node:fs";
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

/**
 * The files that `patterns` name: paths as they are, globs in order of name; `book.xlsx#Customers` names a sheet.
 * Raises `source_unreadable` for what is missing, not a regular file, or matched by nothing, and `usage` for a file
 * that is named twice.
 * @param defaultSheet the sheet of workbooks for which no other is named
 */
export async function findFiles(patterns: readonly string[], defaultSheet?: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const pattern of patterns) {
    const { files, sheet = defaultSheet } = splitSheet(pattern);
    for (const path of await expand(files))
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

async function expand(pattern: string): Promise<readonly string[]> {
  // A file may have brackets in its name: what exists is not a pattern.
  if (existsSync(pattern)) return [pattern];
  const { glob, isDynamicPattern } = await import("tinyglobby");
  if (!isDynamicPattern(pattern)) return [pattern];
  const matches = await glob([pattern], { absolute: true, dot: false, expandDirectories: false });
  if (matches.length === 0) {
    throw new Failure("source_unreadable", `${pattern}: matches no file`, {
      hint: "check the folder that the pattern starts from, and quote the pattern so that the shell leaves it alone",
    });
  }
  return matches.toSorted().map((path) => (isAbsolute(pattern) ? path : relative(process.cwd(), path)));
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
