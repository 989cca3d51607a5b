import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { atExit } from "../files/at-exit.ts";
import { unlessFailing } from "../files/error-code.ts";
import { isRunning, pidNamespace } from "../files/running-process.ts";

export interface TemporaryFolder {
  readonly path: string;
  /** Removes the folder. If this is not called, the folder is removed when this process exits. */
  readonly remove: () => void;
}

/**
 * Reserves a folder for temporary files, which contain rows of the input. The folder is created when it is first used.
 * Also removes the folders of processes that were killed.
 */
export function reserveTemporaryFolder(): TemporaryFolder {
  removeStaleFolders();
  const name = `migrate-${pidNamespaceNumber()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  const folder = path.join(tmpdir(), name);
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = atExit(removeFolder);
  return {
    path: folder,
    remove: () => {
      forget();
      removeFolder();
    },
  };
}

/**
 * Removes only folders of this user and this PID namespace, because containers may share the temporary folder but
 * cannot see each other's processes.
 */
function removeStaleFolders(): void {
  const stale = new RegExp(`^migrate-${pidNamespaceNumber()}-(\\d+)-[0-9a-f]{8}$`);
  for (const name of namesIn(tmpdir())) {
    const pid = Number(stale.exec(name)?.[1] ?? 0);
    if (pid === 0 || isRunning(pid)) continue;
    const folder = path.join(tmpdir(), name);
    if (isOwnFolder(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the number in Linux's `pid:[4026531836]`; 0 on other systems, which have only one namespace. */
function pidNamespaceNumber(): string {
  return /\d+/.exec(pidNamespace() ?? "")?.[0] ?? "0";
}

/** Returns the names of the files in a folder; none if the folder cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return unlessFailing(() => readdirSync(folder)) ?? [];
}

function isOwnFolder(folder: string): boolean {
  const status = statSync(folder, { throwIfNoEntry: false });
  return status?.isDirectory() === true && status.uid === process.getuid?.();
}
