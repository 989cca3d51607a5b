import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

/** A file system of the given size. The kernel refuses writes that exceed it. */
export interface SmallDisk {
  /** Returns the path of a file on the disk. */
  readonly file: (name: string) => string;
  /** Uses up all free space. */
  readonly fill: () => void;
  /** Frees the space again. */
  readonly free: () => void;
  readonly makeReadOnly: () => void;
  readonly makeWritable: () => void;
}

/** Returns the reason why this machine cannot provide a small disk; undefined if it can. */
export function noSmallDisk(): string | undefined {
  if (process.platform !== "linux") return "a tmpfs needs Linux";
  const folder = temporaryFolder();
  const { status, stderr, error } = mount(["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]);
  if (status === 0) unmount(folder);
  return status === 0 ? undefined : `this user may not mount a tmpfs here: ${error?.message ?? String(stderr).trim()}`;
}

/** Mounts a small disk for the current test. */
export function smallDisk(kilobytes: number): SmallDisk {
  const folder = temporaryFolder();
  must(mount(["-t", "tmpfs", "-o", `size=${kilobytes}k,mode=700`, "tmpfs", folder]));
  onTestFinished(() => unmount(folder));
  const filling = path.join(folder, "filling");
  return {
    file: (name) => path.join(folder, name),
    fill: () => fillUp(filling),
    free: () => rmSync(filling),
    makeReadOnly: () => must(mount(["-o", "remount,ro", folder])),
    makeWritable: () => must(mount(["-o", "remount,rw", folder])),
  };
}

function mount(words: readonly string[]): ReturnType<typeof spawnSync> {
  return spawnSync("mount", words);
}

function unmount(folder: string): void {
  must(spawnSync("umount", ["-l", folder]));
}

function must({ status, stderr, error }: ReturnType<typeof spawnSync>): void {
  if (status !== 0) throw new Error(error?.message ?? String(stderr));
}

/** Appends to the file until the disk is full. Ends with single bytes, so that no partly used block remains. */
function fillUp(file: string): void {
  for (let size = 65_536; size > 0; size = Math.floor(size / 2)) {
    while (isWritten(file, size));
  }
}

function isWritten(file: string, size: number): boolean {
  try {
    writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    return true;
  } catch {
    return false;
  }
}
