import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "./make-folder.ts";
import { remedyOf } from "./write-error.ts";
import { Failure } from "../model/failure.ts";

/**
 * A file that only this process can access. It disappears when the process ends, for any reason. On Windows, it has a
 * name, and disappears only when it is closed.
 */
export interface UnnamedFile {
  /** Appends the bytes and returns the position at which they start. @throws Failure `storage` */
  readonly append: (bytes: Uint8Array) => number;
  /** @throws Failure `storage` */
  readonly read: (position: number, length: number) => ArrayBuffer;
  readonly close: () => void;
}

/**
 * Creates a private file (0600) in `folder` and unlinks it. Creates the folder (0700) if it is missing. Windows does
 * not allow unlinking an open file, so the file is removed there when it is closed.
 * @param purpose the contents of the file, for messages
 * @throws Failure `storage`
 */
export function openUnnamedFile(folder: string, purpose: string): UnnamedFile {
  const file = path.join(folder, `.${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
  const keepsName = process.platform === "win32";
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storageFailure(folder, purpose, error);
    }
  };
  const descriptor = guarded(() => {
    makeFolder(folder);
    const opened = openSync(file, NEW_FILE, 0o600);
    if (!keepsName) rmSync(file);
    return opened;
  });
  let end = 0;
  return {
    append(bytes) {
      const start = end;
      guarded(() => {
        for (let done = 0; done < bytes.length;) {
          done += writeSync(descriptor, bytes, done, bytes.length - done, start + done);
        }
      });
      end += bytes.length;
      return start;
    },
    read(position, length) {
      const bytes = new Uint8Array(length);
      guarded(() => {
        for (let done = 0; done < length;) {
          const read = readSync(descriptor, bytes, done, length - done, position + done);
          if (read === 0) throw new Error("the file is shorter than the data written to it");
          done += read;
        }
      });
      return bytes.buffer;
    },
    close() {
      closeSync(descriptor);
      if (keepsName) rmSync(file, { force: true });
    },
  };
}

const NEW_FILE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function storageFailure(folder: string, purpose: string, cause: unknown): Failure {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return new Failure("storage", `cannot store ${purpose} in ${folder}${why}`, {
    hint: `${remedyOf(cause, folder)}, or choose another folder for temporary files (TMPDIR); then run the same command again`,
    cause,
  });
}
