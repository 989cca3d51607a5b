import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../model/failure.ts";
import { errorCode } from "./error-code.ts";

/** The user of this process. Undefined on Windows, which has no POSIX file modes. */
export interface FolderUser {
  readonly uid: number;
  /** The primary group. On systems where new folders have mode 0775, each user has a private primary group. */
  readonly gid: number;
}

/**
 * Refuses an existing folder if it is a link, or if other users could create files and links in it. Files written there
 * would not be private, and could end up in another place.
 * @throws Failure `usage`
 */
export async function refuseSharedFolder(folder: string): Promise<void> {
  // `path.resolve` removes a trailing slash, which would make `lstat` follow a link.
  const stats = await lstat(path.resolve(folder)).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
  });
  if (stats === undefined) return;
  const reason = sharingReason(stats, currentUser());
  if (reason !== undefined)
    throw new Failure("usage", `${folder}: ${reason}, so nothing is written there`, { hint: HINT });
}

const HINT = "name a new folder with --out: it is created so that only you can access it";

/** Returns the reason why files in the folder would not be private; undefined if they would be. */
export function sharingReason(
  stats: Pick<Stats, "isSymbolicLink" | "mode" | "uid" | "gid">,
  user: FolderUser | undefined,
): string | undefined {
  if (stats.isSymbolicLink()) return "the folder is a symbolic link";
  if (user === undefined) return undefined;
  if ((stats.mode & 0o002) !== 0) return "every user can write to the folder";
  if ((stats.mode & 0o020) !== 0 && stats.gid !== user.gid) return "a group can write to the folder";
  const isTrusted = [user.uid, ROOT].includes(stats.uid) || user.uid === ROOT;
  return isTrusted ? undefined : "the folder belongs to another user";
}

const ROOT = 0;

export function currentUser(): FolderUser | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
