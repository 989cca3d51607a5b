import { chmodSync, closeSync, lstatSync, openSync, rmSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { FREE_SPACE, remedyOf } from "../../files/write-error.ts";
import { Failure } from "../../model/failure.ts";
import { journalsOf } from "../journal/compare-journal.ts";
import { missingLedger } from "../ledger-failures.ts";
import { UnreadableValue } from "../records/stored-value.ts";

const OWNER_ONLY_FILE = 0o600;

/**
 * Ensures that `path` is a regular file that only its owner can read. Creates the file (and its folder), or restricts
 * the mode of the existing file.
 * @throws Failure `config` for a link, a folder or a pipe
 */
export function preparePrivateFile(path: string): void {
  // An existing folder keeps its mode.
  makeFolder(dirname(path));
  const found = statOf(path);
  if (found === undefined) closeSync(openSync(path, "wx", OWNER_ONLY_FILE));
  else requireRegularFile(path, found);
  // Setting an unchanged mode would still change the file's times.
  if (((found?.mode ?? 0) & 0o777) !== OWNER_ONLY_FILE) chmodSync(path, OWNER_ONLY_FILE);
}

/** Returns the stats of the file at `path`, without following a link; undefined if the file does not exist. */
export function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Removes a database and its side files. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal", "-checksums"]) rmSync(path + suffix, { force: true });
}

function requireRegularFile(path: string, found: Stats): void {
  if (found.isFile()) return;
  const kind = found.isSymbolicLink() ? "a symbolic link" : found.isDirectory() ? "a folder" : "not a regular file";
  throw new Failure("config", `the ledger ${path} is ${kind}`, {
    hint: "use the path of the ledger file itself, or of a file that does not exist yet",
  });
}

/** Returns the failure for a command that needs an existing ledger. If a journal exists, the ledger was lost. */
export function noLedger(path: string): Failure {
  const [journal] = journalsOf({ folder: join(dirname(path), "journal"), ledgerName: basename(path) }, undefined);
  if (journal !== undefined) {
    return new Failure("ledger_outdated", `the ledger ${path} is lost: only its journal ${journal} exists`, {
      hint:
        "restore the newest copy of the ledger, with its log (-wal) and its checksum file (-checksums), then run " +
        "`migrate ledger repair`. Without a copy, the same command creates a new ledger from the journal",
    });
  }
  return missingLedger(path);
}

/**
 * Converts an error from SQLite or the file system into a failure that ends the run. Returns an unknown error
 * unchanged, because it is a bug.
 */
export function ledgerFailure(error: unknown, path: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  if (error instanceof UnreadableValue) return corruptLedger(path, error.message, error);
  const code = primaryCode(error);
  if (code !== undefined) return sqliteFailure(code, error, path);
  return numberOf(error, "errno") === undefined ? error : storageFailure(error, path, remedyOf(error, dirname(path)));
}

/** Returns SQLite's primary result code; undefined for an error from elsewhere. */
export function primaryCode(error: unknown): number | undefined {
  const code = numberOf(error, "errcode");
  return code === undefined ? undefined : code & 0xff;
}

/**
 * Performs work on the ledger at `path`.
 * @throws errors as converted by `ledgerFailure`
 */
export function guarded<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw ledgerFailure(error, path);
  }
}

/**
 * Performs work whose failure does not matter, because the next operation reports it. Returns undefined if the work has
 * failed.
 */
export function unlessFailing<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/**
 * Returns the failure for a disk or permission error while the ledger at `path` is in use.
 * @param remedy how to fix the error, as the beginning of a hint
 */
function storageFailure(cause: Error, path: string, remedy: string): Failure {
  return new Failure("storage", `the ledger ${path} cannot be used: ${cause.message}`, {
    hint: `${remedy}; then run the same command again`,
    cause,
  });
}

/** SQLite's primary result codes: https://sqlite.org/rescode.html */
const BUSY = new Set([5, 6]);
const NO_DATABASE = 26;
const CORRUPT = new Set([11]);
const STORAGE = new Set([3, 8, 10, 13, 14, 23]);
const NO_RIGHTS = new Set([3, 8, 23]);
const FULL = 13;

function sqliteFailure(code: number, error: Error, path: string): unknown {
  if (code === NO_DATABASE) return unreadableLedger(path, error.message, error);
  if (CORRUPT.has(code)) return corruptLedger(path, error.message, error);
  if (STORAGE.has(code)) return storageFailure(error, path, sqliteRemedy(code, path));
  if (!BUSY.has(code)) return error;
  return new Failure("ledger_in_use", `the ledger ${path} is being written to by another program`, {
    hint: "wait until the other run has ended, then run the same command again",
    cause: error,
  });
}

function sqliteRemedy(code: number, path: string): string {
  if (code === FULL) return FREE_SPACE;
  const access = `grant this user write access to ${path} and its folder`;
  return NO_RIGHTS.has(code) ? access : `${FREE_SPACE}, or ${access}`;
}

export function corruptLedger(path: string, found: string, cause?: Error): Failure {
  return new Failure("ledger_damaged", `the ledger ${path} is corrupt: ${found}`, {
    hint:
      "the ledger was not changed; `migrate ledger check` lists the errors, and `migrate ledger repair` writes a " +
      "repaired copy with every readable record; records that may have been sent become ambiguous",
    cause,
  });
}

/**
 * Returns the failure for a file that cannot be read as a ledger. Usually, the user has named the wrong file. In rare
 * cases, the file is a ledger without any readable part.
 */
export function unreadableLedger(path: string, found: string, cause?: Error): Failure {
  return new Failure("ledger_damaged", `${path} is not a ledger, or is corrupt beyond repair: ${found}`, {
    hint: "the file was not changed; check --ledger; if it is the right file, restore the latest copy",
    cause,
  });
}

/** Returns the failure for a ledger that cannot be read at all, although the files next to it still exist. */
export function lostLedger(path: string, found: string): Failure {
  return new Failure("ledger_damaged", `the ledger ${path} is lost: ${found}`, {
    hint:
      "restore the latest copy and run `migrate ledger repair`: records that may be missing from the copy become " +
      "ambiguous. Without a copy, the same command creates a new ledger from the journal. Without a journal, move the " +
      "ledger's files away and run `migrate ledger repair --some-lost`. The reports in " +
      `${join(dirname(path), "runs")} show what was sent`,
  });
}

function numberOf(error: unknown, name: "errcode" | "errno"): number | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined;
  return typeof value === "number" ? value : undefined;
}
