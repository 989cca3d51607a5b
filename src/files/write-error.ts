import { existsSync } from "node:fs";
import path from "node:path";
import { errorCode } from "./error-code.ts";

/**
 * Returns instructions to fix a failed write, as the beginning of a hint. Names several fixes if the error does not
 * determine the cause.
 * @param target the file or folder that cannot be written; it may not exist
 */
export function remedyOf(error: unknown, target: string): string {
  const code = errorCode(error) ?? "";
  if (NO_SPACE.has(code)) return FREE_SPACE;
  if (code === "ENAMETOOLONG") return "choose a shorter name";
  const resolved = path.resolve(target);
  const existing = nearestExisting(resolved);
  if (code === "ENOENT" && existing !== resolved) return `create the folder ${childOf(existing, resolved)}`;
  if (IS_FILE.has(code)) return `move the file ${existing}`;
  if (code === "EROFS") return `make ${existing} writable: its file system is mounted read-only`;
  if (isOwnerMissing(error)) return `make this user the owner of ${error.path}`;
  const access = `grant this user write access to ${existing}`;
  return NO_RIGHTS.has(code) ? access : `${FREE_SPACE}, or ${access}`;
}

/** Whether the mode of a file cannot be changed because the file belongs to another user. */
function isOwnerMissing(error: unknown): error is { readonly path: string } {
  return (
    error instanceof Error &&
    errorCode(error) === "EPERM" &&
    "syscall" in error &&
    error.syscall === "chmod" &&
    "path" in error &&
    typeof error.path === "string"
  );
}

/** Returns the child of a folder that contains the target, or is the target. */
function childOf(folder: string, target: string): string {
  return path.join(folder, path.relative(folder, target).split(path.sep)[0] ?? "");
}

export const FREE_SPACE = "free some disk space";

const NO_RIGHTS: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);
/** A file is where a folder is expected. */
const IS_FILE: ReadonlySet<string> = new Set(["ENOTDIR", "EEXIST"]);
const NO_SPACE: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

function nearestExisting(target: string): string {
  const above = path.dirname(target);
  return existsSync(target) || above === target ? target : nearestExisting(above);
}
