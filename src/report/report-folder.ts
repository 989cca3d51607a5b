import { createHash } from "node:crypto";
import { unlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { errorCode, unlessMissing } from "../files/error-code.ts";
import { type Draft, openDraft, syncFolder } from "../files/replace-file.ts";
import { makeFolder } from "../files/make-folder.ts";
import { refuseSharedFolder } from "../files/shared-folder.ts";
import { isRunning } from "../files/running-process.ts";
import { remedyOf } from "../files/write-error.ts";
import { Failure } from "../model/failure.ts";

/** Files that appear in a folder only once all of them are complete. */
export interface ReportFolder {
  readonly path: string;
  /** Starts a file that only its owner can read (0600). Discards an earlier draft with the same name. */
  readonly create: (name: string) => Promise<ReportFile>;
  /** Starts a temporary file (0600) for data that another file will include later. `discard` removes it. */
  readonly scratch: () => Promise<ScratchFile>;
  /** Moves the files to their final paths in the order of their creation, and syncs the folder. */
  readonly commit: () => Promise<void>;
  /** Removes files that were not committed, and all temporary files. */
  readonly discard: () => Promise<void>;
}

export interface ReportFile {
  /** Final path of the file. */
  readonly path: string;
  readonly write: (data: string | Uint8Array) => Promise<void>;
  /** Returns the sha256 of the data written so far, in hex. */
  readonly digest: () => string;
}

export interface ScratchFile {
  readonly write: (text: string) => Promise<void>;
  /** Writes buffered data, and returns the path of the file. */
  readonly finish: () => Promise<string>;
}

/**
 * Opens a folder for writing. A new folder is private to its owner (0700). Removes drafts of processes that have ended.
 * Files are written next to their final paths, and `commit` moves them. `commit` replaces a link instead of following
 * it. The new files are private (0600), even if the replaced files were not.
 * @throws Failure `usage` for a folder that is a link or that others can write to; `storage` here and in every method
 */
export async function openReportFolder(folder: string): Promise<ReportFolder> {
  await withStorageFailure(folder, () => makeFolder(folder));
  // Checked after creation, because another process may have created the folder first.
  await refuseSharedFolder(folder);
  await removeStaleDrafts(folder);
  const tag = nextDraftTag();
  const files = new Map<string, BufferedFile>();
  const scratch: BufferedFile[] = [];
  return {
    path: folder,
    scratch: async () => {
      const file = await openFile(path.join(folder, `rejects.scratch-${scratch.length + 1}`), tag);
      scratch.push(file);
      return { write: file.write, finish: () => file.close().then(() => file.draft.path) };
    },
    create: async (name) => {
      await files.get(name)?.draft.discard();
      const file = await openFile(path.join(folder, name), tag);
      files.set(name, file);
      return file;
    },
    commit: async () => {
      for (const file of files.values()) await file.close();
      for (const [name, file] of files) {
        await withStorageFailure(file.path, () => file.draft.rename());
        files.delete(name);
      }
      await withStorageFailure(folder, () => syncFolder(folder));
    },
    discard: async () => {
      for (const { draft } of [...files.values(), ...scratch.splice(0)]) await draft.discard();
      files.clear();
    },
  };
}

export async function removeFile(file: string): Promise<void> {
  await withStorageFailure(file, () => unlessMissing(() => unlinkSync(file)));
}

interface BufferedFile extends ReportFile {
  readonly draft: Draft;
  /** Writes buffered data, makes it durable, and closes the file. */
  readonly close: () => Promise<void>;
}

const BUFFER_SIZE = 256 * 1024;

async function openFile(file: string, tag: string): Promise<BufferedFile> {
  const draft = await withStorageFailure(file, () => openDraft(file, tag, 0o600));
  const hash = createHash("sha256");
  let buffered = "";
  const flush = async (): Promise<void> => {
    const text = buffered;
    buffered = "";
    await withStorageFailure(file, () => draft.append(text));
  };
  return {
    path: file,
    draft,
    digest: () => hash.copy().digest("hex"),
    write: async (data) => {
      hash.update(data);
      if (typeof data === "string") buffered += data;
      if (typeof data !== "string" || buffered.length >= BUFFER_SIZE) await flush();
      if (typeof data !== "string") await withStorageFailure(file, () => draft.append(data));
    },
    close: async () => {
      await flush();
      await withStorageFailure(file, () => draft.close(true));
    },
  };
}

let openedFolders = 0;

/**
 * Returns a tag for the drafts of one report: a number and the id of this process. A process can write several reports
 * to the same folder at once, so each of them needs its own drafts.
 */
function nextDraftTag(): string {
  openedFolders += 1;
  return `${openedFolders}.${process.pid}`;
}

async function removeStaleDrafts(folder: string): Promise<void> {
  for (const name of await withStorageFailure(folder, () => readdir(folder))) {
    const [, report, owner] = (DRAFT_NAME.exec(name) ?? []).map(Number);
    if (report === undefined || owner === undefined) continue;
    // An earlier process may have had the same id, as in a container.
    const isStale = owner === process.pid ? report > openedFolders : !isRunning(owner);
    if (isStale) await removeFile(path.join(folder, name));
  }
}

const DRAFT_NAME =
  /^\.(?:outcomes|errors|report|rejects|summary|proof|migration|(?:rows|records|differences|platform|corrections)-[^.]+)\..+\.(\d+)\.(\d+)\.tmp$/;

async function withStorageFailure<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const reason = code === "ENOTDIR" ? "there is a file where a folder is expected" : code;
    throw new Failure("storage", `${file}: the report cannot be written (${reason})`, {
      hint: `${remedyOf(error, file)}, or choose another folder with --out; then run the same command again, or \`migrate report\` after a push`,
      cause: error,
    });
  }
}
