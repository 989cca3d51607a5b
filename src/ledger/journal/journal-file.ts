import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { makeFolder } from "../../files/make-folder.ts";
import { errorCode } from "../../files/error-code.ts";
import { remedyOf } from "../../files/write-error.ts";
import { Failure } from "../../model/failure.ts";
import { framesOf, type JournalEntry, MAGIC } from "./journal-format.ts";

/** A journal opened for writing. */
export interface JournalFile {
  /**
   * Reserves space on the disk for the next `append`. Until then, the file ends with zeros, like a file after a power
   * failure.
   * @throws Failure `storage`, like `append`
   */
  readonly reserve: (bytes: number) => void;
  /**
   * Appends the bytes. They survive if the process is killed. They survive a power failure only after `sync`.
   * @throws Failure `storage`, and the same failure again on each later call, so that nothing follows an entry that may
   * be incomplete
   */
  readonly append: (bytes: Uint8Array) => void;
  /**
   * Resolves when all appended bytes are on disk.
   * @throws Failure `storage`
   */
  readonly sync: () => Promise<void>;
  readonly close: () => void;
}

export interface JournalRescue {
  /** Folder in which the journal is recreated if it was removed and cannot be recreated at its own path. */
  readonly rescueFolder: string;
  readonly notice: (message: string) => void;
}

interface JournalFileOptions extends JournalRescue {
  /**
   * Number of bytes up to the end of the last complete entry; 0 for a new file. Any later bytes are an incomplete
   * entry, which the process was writing when it ended.
   */
  readonly validBytes: number;
}

const OWNER_ONLY = 0o600;

/**
 * Opens a journal for appending. If the file is removed or renamed while open, the journal is recreated from the open
 * file, at its path or in the rescue folder.
 * @throws Failure `storage`
 */
export function openJournalFile(file: string, { validBytes, rescueFolder, notice }: JournalFileOptions): JournalFile {
  let place = file;
  let descriptor = guarded(file, () => openFile(file, validBytes));
  let inode = fstatSync(descriptor).ino;
  let size = fstatSync(descriptor).size;
  /** The length of the file, which includes reserved space. */
  let length = size;
  let failure: unknown;

  const write = (bytes: Uint8Array): void => {
    if (failure !== undefined) throw failure;
    try {
      writeAll(descriptor, bytes, size);
      length = Math.max(length, size + bytes.length);
    } catch (error) {
      failure = storageFailure(place, error);
      truncateIfPossible(descriptor, size);
      throw failure;
    }
  };
  const restore = (): void => {
    const copy = copyTo(file, descriptor, size) ?? copyTo(rescuePath(rescueFolder, file), descriptor, size);
    if (copy === undefined) throw removed(file);
    closeSync(descriptor);
    ({ place, descriptor } = copy);
    inode = fstatSync(descriptor).ino;
    length = size;
    notice(`The journal ${file} was removed while it was in use. It was recreated at ${place}`);
  };
  const isInPlace = (): boolean => lstatSync(place, { throwIfNoEntry: false })?.ino === inode;

  return {
    reserve(bytes) {
      if (!isInPlace()) restore();
      write(Buffer.alloc(bytes));
    },
    append(bytes) {
      write(bytes);
      size += bytes.length;
      if (length > size) truncateIfPossible(descriptor, size);
      length = size;
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

/** Appends the last entries of a journal, and closes it. */
export async function appendLast(journal: JournalFile, entries: readonly JournalEntry[]): Promise<void> {
  try {
    for (const entry of entries) journal.append(framesOf(entry));
    await journal.sync();
  } finally {
    journal.close();
  }
}

const syncFile = promisify(fsync);

function openFile(file: string, validBytes: number): number {
  makeFolder(path.dirname(file));
  if (validBytes === 0) return createFile(file);
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NOFOLLOW);
  ftruncateSync(descriptor, validBytes);
  return descriptor;
}

/** Creates the journal. Replaces any existing file, because such a file has no complete entry. */
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

/** Removes unused space, or the beginning of an entry that could not be written. A reader would also ignore them. */
function truncateIfPossible(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

const COPY_BYTES = 1024 * 1024;

/** Copies an open file. Returns undefined if `file` already exists or cannot be written. */
function copyTo(
  file: string,
  from: number,
  size: number,
): { readonly place: string; readonly descriptor: number } | undefined {
  try {
    makeFolder(path.dirname(file));
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
  return new Failure("storage", `the journal ${file} was removed while it was in use, and cannot be recreated`, {
    hint: `nothing more was sent; check the permissions and the free space of ${path.dirname(file)}, then run \`migrate ledger check\``,
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
    hint: `${remedyOf(cause, path.dirname(file))}; then run the same command again, or \`migrate resume\``,
    cause,
  });
}
