import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import path from "node:path";
import { Failure } from "../model/failure.ts";

/** Files that appear in their folder together, once all of them are complete. */
export interface ReportFolder {
  readonly path: string;
  /** Starts a file that only its owner can read (0600); what was written under the same name before is dropped. */
  readonly create: (name: string) => Promise<ReportFile>;
  /** Puts the files in their places, in the order of their making, and makes that durable. */
  readonly commit: () => Promise<void>;
  /** Removes what has not been put in its place. */
  readonly discard: () => Promise<void>;
}

export interface ReportFile {
  /** Where the file will lie. */
  readonly path: string;
  readonly write: (text: string) => Promise<void>;
}

/**
 * Opens a folder for writing: made for its owner alone (0700) where it is new, cleared of what dead processes left half
 * written. Files are written beside their places under names of this process and moved there by `commit`: a link found
 * in a place is replaced, never followed, and wider rights do not survive.
 * @throws Failure `storage` here and in every method
 */
export async function openReportFolder(folder: string): Promise<ReportFolder> {
  await withStorageFailure(folder, () => makeFolder(folder));
  await removeStaleDrafts(folder);
  const drafts = new Map<string, Draft>();
  return {
    path: folder,
    create: async (name) => {
      await drafts.get(name)?.discard();
      const draft = await openDraft(folder, name);
      drafts.set(name, draft);
      return draft;
    },
    commit: async () => {
      for (const draft of drafts.values()) await draft.finish();
      for (const [name, { temporary, path: place }] of drafts) {
        await withStorageFailure(place, () => rename(temporary, place));
        drafts.delete(name);
      }
      await syncFolder(folder);
    },
    discard: async () => {
      for (const draft of drafts.values()) await draft.discard();
      drafts.clear();
    },
  };
}

/**
 * Makes a folder and those around it. Node's own recursive `mkdir` tries for ever where none can be made: below /proc,
 * and in a working folder that has been deleted.
 */
async function makeFolder(folder: string): Promise<void> {
  const makeOne = (): Promise<void> => mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
  await makeOne().catch(async (error: unknown) => {
    const around = path.dirname(folder);
    if (!hasCode(error, "ENOENT") || around === folder) throw error;
    await makeFolder(around);
    await makeOne();
  });
}

/** Removes a file; that there is none is fine. */
export async function removeFile(file: string): Promise<void> {
  await withStorageFailure(file, () => unlink(file).catch(ignoreMissing));
}

interface Draft extends ReportFile {
  readonly temporary: string;
  /** Writes what is still buffered, makes it durable and closes the file. */
  readonly finish: () => Promise<void>;
  readonly discard: () => Promise<void>;
}

const BUFFER_SIZE = 256 * 1024;

async function openDraft(folder: string, name: string): Promise<Draft> {
  const place = path.join(folder, name);
  const temporary = path.join(folder, `.${name}.${process.pid}.tmp`);
  const handle = await withStorageFailure(place, () => openNew(temporary));
  let buffered = "";
  const flush = async (): Promise<void> => {
    const text = buffered;
    buffered = "";
    await withStorageFailure(place, () => handle.appendFile(text));
  };
  return {
    path: place,
    temporary,
    write: async (text) => {
      buffered += text;
      if (buffered.length >= BUFFER_SIZE) await flush();
    },
    finish: async () => {
      await flush();
      await withStorageFailure(place, () => handle.sync());
      await withStorageFailure(place, () => handle.close());
    },
    discard: async () => {
      await handle.close().catch(() => undefined);
      await unlink(temporary).catch(() => undefined);
    },
  };
}

async function removeStaleDrafts(folder: string): Promise<void> {
  for (const name of await withStorageFailure(folder, () => readdir(folder))) {
    const owner = DRAFT_NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) await removeFile(path.join(folder, name));
  }
}

const DRAFT_NAME = /^\.(?:outcomes|errors|rejects|summary)\..+\.(\d+)\.tmp$/;

/** Makes the names in a folder durable, where the system lets a folder be synced. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await withStorageFailure(folder, async () => {
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

async function openNew(file: string): Promise<FileHandle> {
  await unlink(file).catch(ignoreMissing);
  return open(file, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
}

async function withStorageFailure<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    const reason = error.code === "ENOTDIR" ? "a file stands in place of a folder" : String(error.code);
    throw new Failure("storage", `${file}: the report cannot be written (${reason})`, {
      hint: "see to the disk or choose another folder with --out; then run the same command again, or `migrate report` after a push",
      cause: error,
    });
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, "ENOENT")) throw error;
}

function ignoreExisting(error: unknown): void {
  if (!hasCode(error, "EEXIST")) throw error;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** A process that exists but is another user's answers EPERM. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
