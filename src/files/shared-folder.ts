import type { Stats } from "node:fs";
import { lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../model/failure.ts";
import { errorCode } from "./error-code.ts";

/** Who writes. Undefined on Windows, which has no such modes. */
export interface FolderUser {
  readonly uid: number;
  /** The primary group. It is the user's own on systems that give a new folder the mode 0775. */
  readonly gid: number;
}

/**
 * Makes a folder and those around it, for their owner alone (0700). Node's own recursive `mkdir` tries for ever where none can be made: below /proc,
 * and in a working folder that has been deleted.
 */
export async function makeFolder(folder: string): Promise<void> {
  const makeOne = (): Promise<void> =>
    mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  await makeOne().catch(async (error: unknown) => {
    const around = path.dirname(folder);
    if (errorCode(error) !== "ENOENT" || around === folder) throw error;
    await makeFolder(around);
    await makeOne();
  });
}

/**
 * Refuses an existing folder that is a link, or that others could put files and links into: what is written there would
 * not be private, and not surely where it was meant to be.
 * @throws Failure `usage`
 */
export async function refuseSharedFolder(folder: string): Promise<void> {
  // Without a trailing slash, which would follow a link.
  const stats = await lstat(path.resolve(folder)).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
  });
  if (stats === undefined) return;
  const reason = whyShared(stats, currentUser());
  if (reason !== undefined)
    throw new Failure("usage", `${folder}: ${reason}, so nothing is written there`, { hint: HINT });
}

const HINT =
  "name another folder with --out: one that is not there yet is made for you alone; or take the rights of others away";

/** Why a folder is not the user's alone to write to, or undefined. */
export function whyShared(
  stats: Pick<Stats, "isSymbolicLink" | "mode" | "uid" | "gid">,
  user: FolderUser | undefined,
): string | undefined {
  if (stats.isSymbolicLink()) return "the folder is a link";
  if (user === undefined) return undefined;
  if ((stats.mode & 0o002) !== 0) return "anybody can write to the folder";
  if ((stats.mode & 0o020) !== 0 && stats.gid !== user.gid) return "a group can write to the folder";
  const isTrusted = [user.uid, ROOT].includes(stats.uid) || user.uid === ROOT;
  return isTrusted ? undefined : "the folder belongs to somebody else";
}

const ROOT = 0;

function currentUser(): FolderUser | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
