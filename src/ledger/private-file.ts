import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import type { Stats } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../model/failure.ts";

const OWNER_ONLY_FILE = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/**
 * Makes sure that `path` is a regular file that only its owner can read: creates it (and its folder) so, or tightens
 * the file that is there. A link, a folder or a pipe is refused: Failure `config`.
 */
export function preparePrivateFile(path: string): void {
  prepareFolderOf(path);
  const found = statOf(path);
  if (found === undefined) closeSync(openSync(path, "wx", OWNER_ONLY_FILE));
  else requireRegularFile(path, found);
  chmodSync(path, OWNER_ONLY_FILE);
}

/** Creates the folder that `path` lies in, for its owner only; one that exists keeps its mode. */
export function prepareFolderOf(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
}

/** What lies at `path` itself, not where a link leads to. */
export function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Removes a database with its side files. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal", "-seal"]) rmSync(path + suffix, { force: true });
}

function requireRegularFile(path: string, found: Stats): void {
  if (found.isFile()) return;
  const kind = found.isSymbolicLink() ? "a symbolic link" : found.isDirectory() ? "a folder" : "not a regular file";
  throw new Failure("config", `the ledger ${path} is ${kind}`, {
    hint: "give the path of the ledger's own file, or of one that does not exist yet",
  });
}

export function noLedger(path: string): Failure {
  return new Failure("run_unknown", `there is no ledger at ${path}, so there are no runs`, {
    hint: "start one with `migrate push`; if it lies elsewhere, name it with --ledger",
  });
}
