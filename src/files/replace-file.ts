import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, realpath, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../model/failure.ts";
import { errorCode } from "./error-code.ts";
import { withFile } from "./open-file.ts";

export interface ReplaceOptions {
  /** The new file's mode, before the umask; 0600 by default. */
  readonly mode?: number;
  /**
   * Whether the new file must survive a power failure. Use false for content that can be rebuilt. In both cases, the
   * file is never incomplete.
   */
  readonly durable?: boolean;
  /** Distinguishes the temporary file from the temporary files of other writers. Random by default. */
  readonly tag?: string;
}

/**
 * Writes a file completely or not at all: writes a temporary file in the same folder, then renames it. A reader sees
 * the old file or the new file. On failure, the old file stays and the temporary file is removed.
 *
 * `write-file-atomic` and similar libraries do not fit: they write through a symbolic link at `file`, copy the mode of
 * the old file, and do not sync the folder. This function replaces a link, and sets the requested mode. A device or a
 * pipe, such as `/dev/null`, is never replaced: the data is written to it.
 */
export async function replaceFile(
  file: string,
  data: string | Uint8Array,
  { mode = 0o600, durable = true, tag = randomBytes(6).toString("hex") }: ReplaceOptions = {},
): Promise<void> {
  if (await isStream(file)) return writeToStream(file, data);
  const draft = await openDraft(file, tag, mode);
  try {
    await draft.append(data);
    await draft.close(durable);
    await draft.rename();
  } catch (error) {
    await draft.discard();
    throw error;
  }
  if (durable) await syncFolder(path.dirname(file));
}

/** The file that an edit of a user's file replaces. */
interface FileToEdit {
  /** The file to which a symbolic link points, otherwise the path itself. */
  readonly target: string;
  readonly mode: number;
}

/** @throws Failure `storage` if the file is read-only */
export async function fileToEdit(file: string): Promise<FileToEdit> {
  const target = await realpath(file).catch(() => file);
  const mode = await stat(target).then(
    (stats) => stats.mode & 0o777,
    () => 0o600,
  );
  if ((mode & 0o222) !== 0) return { target, mode };
  throw new Failure("storage", `${file} is read-only`, { hint: "make the file writable, then repeat the command" });
}

/**
 * Replaces the text of a user's file. Keeps its mode and a symbolic link.
 * @throws Failure `storage` if the file is read-only
 */
export async function rewriteFile(file: string, text: string): Promise<void> {
  const { target, mode } = await fileToEdit(file);
  await replaceFile(target, text, { mode });
}

/** Whether the path, or the path that it links to, is a device, a pipe or a socket. */
async function isStream(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

async function writeToStream(file: string, data: string | Uint8Array): Promise<void> {
  // Without a reader, opening a pipe fails instead of waiting.
  const handle = await open(file, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    await handle.appendFile(data);
  } finally {
    await handle.close();
  }
}

/** The new content of a file, written to a temporary file in the same folder. */
export interface Draft {
  readonly path: string;
  readonly append: (data: string | Uint8Array) => Promise<void>;
  /** @param durable whether to sync the content first */
  readonly close: (durable: boolean) => Promise<void>;
  /** Replaces the file with the closed draft. The new name is durable after `syncFolder`. */
  readonly rename: () => Promise<void>;
  /** Removes the draft. Never fails. */
  readonly discard: () => Promise<void>;
}

/**
 * Starts a draft named `.<file name>.<tag>.tmp`. Removes a file with that name if a dead process has left it behind,
 * and does not follow a link with that name.
 */
export async function openDraft(file: string, tag: string, mode: number): Promise<Draft> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${tag}.tmp`);
  await unlink(draft).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT") throw error;
  });
  const handle = await open(draft, NEW_FILE, mode);
  return {
    path: draft,
    append: (data) => handle.appendFile(data),
    close: async (durable) => {
      if (durable) await handle.sync();
      await handle.close();
    },
    rename: () => rename(draft, file),
    discard: async () => {
      await handle.close().catch(() => undefined);
      await unlink(draft).catch(() => undefined);
    },
  };
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Makes the names in a folder durable. Windows has no equivalent. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * The synchronous variant of `replaceFile`, for code that is the file's only writer. The temporary file is always
 * `<file>.tmp`, so that it replaces a temporary file that a dead process has left behind.
 */
export function replaceFileSync(file: string, data: Uint8Array): void {
  const draft = `${file}.tmp`;
  rmSync(draft, { force: true });
  const descriptor = openSync(draft, NEW_FILE, 0o600);
  try {
    writeFileSync(descriptor, data);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameDurably(draft, file);
}

/** Replaces a file with another file in the same folder whose content is already durable. */
export function renameDurably(draft: string, file: string): void {
  renameSync(draft, file);
  if (process.platform === "win32") return;
  withFile(path.dirname(file), fsyncSync);
}
