import { readFileSync, realpathSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../../../model/failure.ts";
import type { LockKind } from "../../lock-holder.ts";
import { statOf } from "../ledger-file.ts";

/**
 * Linux file systems whose locks the kernel itself manages, by magic number
 * (https://man7.org/linux/man-pages/man2/statfs.2.html). All other file systems are treated as network file systems.
 */
const LOCAL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x858458f6, // ramfs
  0x4d44, // vfat
  0x2011bab0, // exfat
  0x7366746e, // ntfs3
  0x3153464a, // jfs
  0x52654973, // reiserfs
  0x3434, // nilfs2
  0xf15f, // ecryptfs
]);

/**
 * Returns the kind of lock that the file system of the ledger's folder supports. On systems other than Linux, SQLite
 * chooses its locks itself, so only a Windows network path (`\\server\share`) gets a lease.
 */
export function lockKindOf(path: string): LockKind {
  if (process.platform === "win32") return path.startsWith("\\\\") ? "lease" : "kernel";
  if (process.platform !== "linux") return "kernel";
  return LOCAL_FILE_SYSTEMS.has(fileSystemOf(dirname(path))) ? "kernel" : "lease";
}

/**
 * Returns the type of a folder's file system. A folder that does not exist yet will be created on the file system of
 * its parent.
 */
function fileSystemOf(folder: string): number {
  if (statOf(folder) !== undefined || dirname(folder) === folder) return statfsSync(folder).type;
  return fileSystemOf(dirname(folder));
}

/**
 * Refuses a ledger that has a second path: a hard link, or a mount of the single file. Each path has its own log and
 * lock, so two runs would not detect each other.
 * @throws Failure `config`
 */
export function requireOnePlace(path: string): void {
  const found = statOf(path);
  // A file of another kind is refused when it is opened.
  if (found === undefined || !found.isFile()) return;
  if (found.nlink > 1) {
    throw new Failure("config", `the ledger ${path} has more than one name (hard link)`, {
      hint: "remove the other name, or copy the ledger with its checksum file to a separate folder and use the copy",
    });
  }
  if (mountPoints().has(realpathSync(path))) {
    throw new Failure("config", `the ledger ${path} is mounted as a single file`, {
      hint: "mount the ledger's folder instead: the folder also contains the log, the checksum file and the lock",
    });
  }
}

/**
 * Returns the mount points of this process: field 5 of https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html.
 * Spaces in this field are octal escapes.
 */
function mountPoints(): ReadonlySet<string> {
  try {
    const lines = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    return new Set(
      lines.map((line) =>
        (line.split(" ")[4] ?? "").replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
          String.fromCharCode(Number.parseInt(octal, 8)),
        ),
      ),
    );
  } catch {
    return new Set();
  }
}
