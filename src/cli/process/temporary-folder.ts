import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isRunning, pidNamespace } from "../../ledger/running-process.ts";

/**
 * A place for files of this process that hold rows of the input: not made yet, removed when the process ends. Those of
 * processes that were killed are removed now.
 */
export function reserveTemporaryFolder(): string {
  removeStaleFolders();
  const folder = path.join(
    tmpdir(),
    `migrate-${pidNamespaceNumber()}-${process.pid}-${randomBytes(4).toString("hex")}`,
  );
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Only this user's, and only of this space of pids: containers may share the folder, and cannot see who lives. */
function removeStaleFolders(): void {
  const left = new RegExp(`^migrate-${pidNamespaceNumber()}-(\\d+)-[0-9a-f]{8}$`);
  for (const name of namesIn(tmpdir())) {
    const pid = Number(left.exec(name)?.[1] ?? 0);
    if (pid === 0 || isRunning(pid, undefined)) continue;
    const folder = path.join(tmpdir(), name);
    if (isOwnFolder(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** The number in Linux's `pid:[4026531836]`; elsewhere there is one space. */
function pidNamespaceNumber(): string {
  return /\d+/.exec(pidNamespace() ?? "")?.[0] ?? "0";
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOwnFolder(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
