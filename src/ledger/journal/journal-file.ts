import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../../files/error-code.ts";
import { Failure } from "../../model/failure.ts";
import { MAGIC } from "./journal-format.ts";

/** A journal that is written to. */
export interface JournalFile {
  /** Appends these bytes: after a kill they are in the file. @throws Failure `storage` */
  readonly append: (bytes: Uint8Array) => void;
  /** Resolves when everything that was appended is on the disk. */
  readonly sync: () => Promise<void>;
  readonly close: () => void;
}

export interface JournalFileOptions {
  /** Bytes of entries to keep; what follows was being written when a process ended. 0: the file is new. */
  readonly validBytes: number;
  /** Where the journal is written when it was removed and its folder cannot be made again. */
  readonly rescueFolder: string;
  readonly notice: (message: string) => void;
}

const OWNER_ONLY = 0o600;

/**
 * Opens a journal to append to it. A journal that is removed or renamed while it is open is written again, at its place
 * or in the rescue folder: the open file still holds all of it.
 * @throws Failure `storage`
 */
export function openJournalFile(file: string, { validBytes, rescueFolder, notice }: JournalFileOptions): JournalFile {
  let place = file;
  let descriptor = guarded(file, () => openFile(file, validBytes));
  let inode = fstatSync(descriptor).ino;
  let size = fstatSync(descriptor).size;

  const restore = (): void => {
    const copy = copyTo(file, descriptor, size) ?? copyTo(rescuePath(rescueFolder, file), descriptor, size);
    if (copy === undefined) throw removed(file);
    closeSync(descriptor);
    ({ place, descriptor } = copy);
    inode = fstatSync(descriptor).ino;
    notice(`The journal ${file} was removed while it was in use. It was written again: ${place}`);
  };
  const isInPlace = (): boolean => lstatSync(place, { throwIfNoEntry: false })?.ino === inode;

  return {
    append(bytes) {
      guarded(place, () => writeAll(descriptor, bytes, size));
      size += bytes.length;
      if (!isInPlace()) restore();
    },
    async sync() {
      if (!isInPlace()) restore();
      await syncFile(descriptor).catch((error: unknown) => {
        throw storageFailure(place, error);
      });
    },
    close: () => closeSync(descriptor),
  };
}

const syncFile = promisify(fsync);

function openFile(file: string, validBytes: number): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (validBytes === 0) return createFile(file);
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
  ftruncateSync(descriptor, validBytes);
  return descriptor;
}

/** In place of a file that a process left before its first entry was written. */
function createFile(file: string): number {
  const { O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const descriptor = openSync(file, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, OWNER_ONLY);
  writeAll(descriptor, MAGIC, 0);
  return descriptor;
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}

const COPY_BYTES = 1024 * 1024;

/** Undefined where the copy cannot be written. Another file in its place is kept. */
function copyTo(
  file: string,
  from: number,
  size: number,
): { readonly place: string; readonly descriptor: number } | undefined {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(file, "wx+", OWNER_ONLY);
    const buffer = Buffer.alloc(COPY_BYTES);
    for (let at = 0; at < size;) {
      const read = readSync(from, buffer, 0, Math.min(buffer.length, size - at), at);
      if (read === 0) break;
      writeAll(descriptor, buffer.subarray(0, read), at);
      at += read;
    }
    fsyncSync(descriptor);
    return { place: file, descriptor };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function rescuePath(folder: string, file: string): string {
  return path.join(folder, `migrate-journal-${Date.now()}-${path.basename(file)}`);
}

function removed(file: string): Failure {
  return new Failure("storage", `the journal ${file} was removed while it was in use, and cannot be written again`, {
    hint: "nothing more was sent; give this user write access to the ledger's folder, then run `migrate ledger check`",
  });
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageFailure(file, error);
  }
}

function storageFailure(file: string, cause: unknown): unknown {
  if (errorCode(cause) === undefined) return cause;
  return new Failure("storage", `the journal ${file} cannot be written`, {
    hint: "make room on the disk, and give this user write access to the file's folder; then run `migrate resume`",
    cause,
  });
}
