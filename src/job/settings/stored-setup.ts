import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { remedyOf } from "../../files/write-error.ts";
import { isShippedOverlay } from "../contract-files.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { Failure } from "../../model/failure.ts";
import { sha256Of } from "../../read/corrections/correction.ts";
import type { JobSettings } from "./job-settings.ts";
import type { FileEnvironment } from "../dependencies.ts";
import {
  type ChangedFile,
  changedFiles,
  type FileKind,
  isData,
  ownVersionsText,
  type RecordedFile,
} from "./recorded-files.ts";
import type { RunSettings } from "./recorded-settings.ts";
import { copyName } from "./setup-paths.ts";

export type StoredFiles = Pick<Ledger, "setupFile">;

/**
 * Writes the changed files to a new folder, in the versions that a run used. Function files import each other by
 * relative path, so if one of them has changed, writes all of them in the same folder structure.
 * @returns the copies, for `JobSettings.copies`, without files whose version is lost
 * @throws Failure `storage`
 */
export async function restoreSetup(
  { job, files }: { readonly job: JobSettings; readonly files: readonly RecordedFile[] },
  changed: readonly ChangedFile[],
  { stored, temporaryFolder }: { readonly stored: StoredFiles; readonly temporaryFolder: string },
): Promise<Readonly<Record<string, string>>> {
  if (changed.length === 0) return {};
  const root = path.join(temporaryFolder, `setup-${randomUUID()}`);
  const hasFunctions = changed.some(({ kind }) => kind === "functions");
  const wanted = [...changed, ...files.filter(({ kind }) => hasFunctions && kind === "functions")];
  const copies: Record<string, string> = {};
  for (const recorded of wanted) {
    const name = copyName(job.folder, recorded.file);
    const content = await ownContent(recorded, name, stored);
    if (content === undefined) continue;
    const copy = path.join(root, relativeName(name, path.parse(name).root));
    await writeStored(copy, content, "choose another folder for temporary files (TMPDIR)");
    copies[name] = copy;
  }
  return copies;
}

/** Returns the content that a file had when the run began; undefined if the content can no longer be found. */
async function ownContent(
  { kind, bytes, sha256 }: RecordedFile,
  name: string,
  stored: StoredFiles,
): Promise<Uint8Array | undefined> {
  if (!isData(kind)) return stored.setupFile(sha256);
  if (kind !== "corrections") return undefined;
  // Corrections are only appended to their file, so the file begins with the content of each earlier version.
  const now = await readFile(name).catch(() => undefined);
  const before = now?.subarray(0, bytes);
  return before !== undefined && sha256Of(before) === sha256 ? before : undefined;
}

/**
 * Writes a stored file that only its owner can access, and creates its folder.
 * @param alternative completes the hint if the file cannot be written: `choose another folder`
 * @throws Failure `storage`
 */
export async function writeStored(file: string, content: Uint8Array, alternative: string): Promise<void> {
  try {
    makeFolder(path.dirname(file));
    await writeFile(file, content, { mode: 0o600 });
  } catch (cause) {
    const hint = `${remedyOf(cause, file)}, or ${alternative}`;
    throw new Failure("storage", `${file} cannot be written`, { hint, cause });
  }
}

interface OwnVersionOptions {
  readonly stored: StoredFiles;
  /** Kinds of files whose current version is used. */
  readonly replaced?: ReadonlySet<FileKind>;
  /** A hint that is added to the notice. */
  readonly hint?: string;
  readonly dependencies: FileEnvironment;
}

/**
 * Returns settings that refer to the file versions that the run used. For a changed setup file, this is the version
 * that the run stored. For a changed corrections file, it is the file's earlier content. Any other file is read in its
 * current version.
 */
export async function withOwnVersions(
  settings: RunSettings,
  { stored, replaced = new Set(), hint, dependencies: { temporaryFolder, notice } }: OwnVersionOptions,
): Promise<RunSettings> {
  const files = settings.files.filter(({ kind }) => kind !== "rejects" && kind !== "input" && !replaced.has(kind));
  const changed = await changedFiles({ ...settings, files });
  const copies = await restoreSetup(settings, changed, { stored, temporaryFolder });
  const own = changed.filter(({ file }) => copies[copyName(settings.job.folder, file)] !== undefined);
  if (own.length === 0) return settings;
  notice([ownVersionsText(own), ...(hint === undefined ? [] : [hint])].join(". "));
  return { ...settings, job: { ...settings.job, copies } };
}

/**
 * Returns the path of a setup file relative to a folder that contains it. The path of a bundled overlay is below
 * `overlays`.
 * @param name from `copyName`
 */
export function relativeName(name: string, folder: string): string {
  return isShippedOverlay(name)
    ? path.join("overlays", `${name.slice(name.indexOf(":") + 1)}.yaml`)
    : path.relative(folder, name);
}
