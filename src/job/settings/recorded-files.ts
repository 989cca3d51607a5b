import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { fingerprintPath, manifestPath } from "../../corrections/read-manifest.ts";
import type { SetupFile } from "../../ledger/records/run.ts";
import { Failure } from "../../model/failure.ts";
import { type FileFingerprint, fingerprintFile, inspectFile } from "../../read/input/source-files.ts";
import { contractNames, pathsFrom } from "../contract-files.ts";
import type { Job } from "../job.ts";
import type { JobSettings } from "./job-settings.ts";
import { setupPaths } from "./setup-paths.ts";

/** The roles of files in a run, in the order in which the files are recorded. */
export const FILE_KINDS = [
  "contract",
  "overlay",
  "mapping",
  "lookup",
  "functions",
  "references",
  "corrections",
  "configuration",
  "rejects",
  "input",
] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** Whether files of this kind contain customer data, which the ledger does not store. */
export function isData(kind: FileKind): boolean {
  return kind === "corrections" || kind === "rejects" || kind === "input";
}

/** A file that a run depends on, with its fingerprint at the start of the run. */
export interface RecordedFile extends FileFingerprint {
  readonly kind: FileKind;
}

export const recordedFileSchema: z.ZodType<RecordedFile> = z.object({
  kind: z.enum(FILE_KINDS),
  file: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  modifiedMs: z.number(),
});

/** The files of a run, and the contents of the files without customer data, which are stored with the run. */
export interface RecordedFiles {
  readonly files: readonly RecordedFile[];
  readonly setup: readonly SetupFile[];
}

/** Reads every file of a job once. Returns the fingerprints of all files and the contents of the setup files. */
export async function recordFiles(job: Job): Promise<RecordedFiles> {
  const pathOf = setupPaths(job.settings);
  const files: RecordedFile[] = [];
  const setup: SetupFile[] = [];
  for (const { kind, name } of filesOf(job)) {
    if (isData(kind)) {
      const length = kind === "corrections" ? job.input.correctionsBytes : undefined;
      files.push({ kind, ...(await fingerprintFile(name, length)) });
      continue;
    }
    const path = pathOf(name);
    const { modifiedMs } = await inspectFile(path);
    const content = await readFile(path);
    const sha256 = createHash("sha256").update(content).digest("hex");
    files.push({ kind, file: name, bytes: content.length, sha256, modifiedMs });
    setup.push({ sha256, content });
  }
  return { files, setup };
}

interface NamedFile {
  readonly kind: FileKind;
  /** The path, or `overlay:<name>`. */
  readonly name: string;
}

function filesOf({ settings, mappingFiles, input }: Job): readonly NamedFile[] {
  const { folder, contract, mapping, references, corrections, configFile, rejects }: JobSettings = settings;
  const resolve = pathsFrom(folder);
  const named = (kind: FileKind, files: readonly string[]): readonly NamedFile[] =>
    files.map((file) => ({ kind, name: resolve(file) }));
  return [
    ...contract.flatMap((file, index) => named(index === 0 ? "contract" : "overlay", contractNames(file))),
    ...named("mapping", mapping === undefined ? [] : [mapping]),
    ...mappingFiles.map(({ kind, path }) => ({ kind, name: path })),
    ...named("references", Object.values(references ?? {})),
    ...named("corrections", corrections === undefined || rejects !== undefined ? [] : [corrections]),
    ...named("configuration", configFile === undefined ? [] : [configFile]),
    ...named(
      "rejects",
      (rejects?.folders ?? []).flatMap((each) => [manifestPath(each), fingerprintPath(each)]),
    ),
    ...input.files.map(({ path }) => ({ kind: "input" as const, name: path })),
  ];
}

/**
 * Returns the files of a run that have changed since the run began. Ignores the configuration file, because its values
 * are part of the run's settings.
 * @param options `trustsTime`: whether a large input with the same size and modification time counts as unchanged. Set
 * this only if the reader of the input compares each record, or if the result is only shown
 */
export async function changedFiles(
  { job, files }: { readonly job: JobSettings; readonly files: readonly RecordedFile[] },
  { trustsTime = false }: { readonly trustsTime?: boolean | undefined } = {},
): Promise<readonly ChangedFile[]> {
  const pathOf = setupPaths(job);
  const changed: ChangedFile[] = [];
  for (const before of files) {
    if (before.kind === "configuration") continue;
    const path = pathOf(before.file);
    const isTrusted = trustsTime && before.kind === "input" && before.bytes >= LARGE_BYTES;
    if (isTrusted && (await hasSameTime(path, before))) continue;
    const now = await fingerprintFile(path).catch(() => undefined);
    if (now?.sha256 !== before.sha256) changed.push({ ...before, path, isGone: now === undefined });
  }
  return changed;
}

/** Returns the failure for a run that needs the original versions of these files to continue. */
export function filesChanged(changed: readonly ChangedFile[]): Failure {
  const hint = changed.some(({ kind }) => MAKES_KEYS.has(kind)) ? CHANGED_KEYS_HINT : CHANGED_INPUT_HINT;
  return new Failure("source_changed", `since the run began, ${changesText(changed)}`, { hint });
}

export function changedText(changed: readonly ChangedFile[]): string {
  return `Since the run began, ${changesText(changed)}`;
}

/** States which files have changed, and that the run uses the stored versions of these files. */
export function ownVersionsText(changed: readonly ChangedFile[]): string {
  const versions = changed.length === 1 ? "version" : "versions";
  return `${changedText(changed)}. Using the ${versions} stored with the run`;
}

function changesText(changed: readonly ChangedFile[]): string {
  const texts = changed.map(({ kind, file, path, isGone }) => {
    // Only the path shows that the folder of the run was moved.
    const name = isGone && kind === "input" ? path : file;
    return `${KIND_NAMES[kind]} ${name} ${isGone ? "no longer exists" : "has changed"}`;
  });
  // Each sheet of a workbook is recorded as a file.
  return [...new Set(texts)].join(", ");
}

export interface ChangedFile extends RecordedFile {
  /** Where the file was looked for. */
  readonly path: string;
  readonly isGone: boolean;
}

const KIND_NAMES: Readonly<Record<FileKind, string>> = {
  contract: "the contract",
  overlay: "the overlay",
  mapping: "the mapping",
  lookup: "the lookup list",
  functions: "the function file",
  references: "the reference list",
  corrections: "the corrections file",
  configuration: "the configuration file",
  rejects: "the rejects file",
  input: "the input",
};

/** Kinds of files that determine the keys of rows. */
const MAKES_KEYS: ReadonlySet<FileKind> = new Set(["contract", "overlay", "mapping", "lookup", "functions"]);

const CHANGED_INPUT_HINT =
  "restore the original files at these paths, or start a new push with `migrate push`, which does not send accepted records again";

/** The hint for a change after which the keys of records may differ from the keys in the run. */
export const CHANGED_KEYS_HINT: string =
  "restore the original files, then resume. The change may give records different keys: `migrate push` " +
  "refuses a row that was sent under another key, unless --new-keys confirms that both keys are right";

/** Smaller files are always read, which takes less than a tenth of a second. */
const LARGE_BYTES = 64 * 1024 * 1024;

async function hasSameTime(file: string, before: FileFingerprint): Promise<boolean> {
  const now = await inspectFile(file).catch(() => undefined);
  return now?.bytes === before.bytes && now.modifiedMs === before.modifiedMs;
}
