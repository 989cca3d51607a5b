import { z } from "zod";
import { fingerprintPath, manifestPath } from "../../corrections/read-manifest.ts";
import { Failure } from "../../model/failure.ts";
import { type FileFingerprint, fingerprintFile, inspectFile } from "../../read/input/source-files.ts";
import { contractPaths, pathsFrom } from "../contract-files.ts";
import type { Job, JobSettings } from "../job.ts";

/** The role of a file in a run, in the order in which files are recorded. */
export const FILE_KINDS = [
  "contract",
  "overlay",
  "mapping",
  "lookup",
  "functions",
  "references",
  "rejects",
  "input",
] as const;
export type FileKind = (typeof FILE_KINDS)[number];

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

/** Reads every file of a job once. */
export async function recordFiles(job: Job): Promise<readonly RecordedFile[]> {
  const files: RecordedFile[] = [];
  for (const { kind, path } of filesOf(job)) files.push({ kind, ...(await fingerprintFile(path)) });
  return files;
}

interface NamedFile {
  readonly kind: FileKind;
  readonly path: string;
}

function filesOf({ settings, mappingFiles, input }: Job): readonly NamedFile[] {
  const { folder, contract, mapping, references, rejects }: JobSettings = settings;
  const resolve = pathsFrom(folder);
  const named = (kind: FileKind, files: readonly string[]): readonly NamedFile[] =>
    files.map((file) => ({ kind, path: resolve(file) }));
  return [
    ...contract.flatMap((file, index) => named(index === 0 ? "contract" : "overlay", contractPaths(file))),
    ...named("mapping", mapping === undefined ? [] : [mapping]),
    ...mappingFiles,
    ...named("references", Object.values(references ?? {})),
    ...named("rejects", rejects === undefined ? [] : [manifestPath(rejects.folder), fingerprintPath(rejects.folder)]),
    ...input.files.map(({ path }) => ({ kind: "input" as const, path })),
  ];
}

/**
 * Checks that all files of a run are unchanged.
 * @param options `trustsTime`: a large input with the same size and modification time counts as unchanged; its reader
 * compares each record
 * @throws Failure `source_changed`, naming each changed file and its kind
 */
export async function requireUnchangedFiles(
  { job, files }: { readonly job: JobSettings; readonly files: readonly RecordedFile[] },
  { trustsTime = false }: { readonly trustsTime?: boolean } = {},
): Promise<void> {
  const resolve = pathsFrom(job.folder);
  const changed: ChangedFile[] = [];
  for (const before of files) {
    const file = resolve(before.file);
    const isTrusted = trustsTime && before.kind === "input" && before.bytes >= LARGE_BYTES;
    if (isTrusted && (await hasSameTime(file, before))) continue;
    const now = await fingerprintFile(file).catch(() => undefined);
    if (now?.sha256 !== before.sha256) changed.push({ ...before, isGone: now === undefined });
  }
  if (changed.length === 0) return;
  const words = changed.map(
    ({ kind, file, isGone }) => `${KIND_NAMES[kind]} ${file} ${isGone ? "no longer exists" : "has changed"}`,
  );
  throw new Failure("source_changed", `since the run began, ${words.join(", ")}`, { hint: hintFor(changed) });
}

interface ChangedFile extends RecordedFile {
  readonly isGone: boolean;
}

const KIND_NAMES: Readonly<Record<FileKind, string>> = {
  contract: "the contract",
  overlay: "the overlay",
  mapping: "the mapping",
  lookup: "the lookup list",
  functions: "the function file",
  references: "the reference list",
  rejects: "the rejects file",
  input: "the input",
};

function hintFor(changed: readonly ChangedFile[]): string {
  return changed.some(({ kind }) => MAKES_KEYS.has(kind)) ? CHANGED_KEYS_HINT : CHANGED_INPUT_HINT;
}

/** Kinds of files that determine the keys of rows. */
const MAKES_KEYS: ReadonlySet<FileKind> = new Set(["contract", "overlay", "mapping", "lookup", "functions"]);

const CHANGED_INPUT_HINT = "restore it, or start a new push with `migrate push`: accepted records are not sent again";

/** The hint for a change that may give records other keys than those of the run. */
export const CHANGED_KEYS_HINT: string =
  "restore it, then resume. The change may give records different keys: `migrate push` " +
  "refuses a row that was sent under another key, unless --new-keys confirms that both keys are right";

/** Smaller files are read within a tenth of a second. */
const LARGE_BYTES = 64 * 1024 * 1024;

async function hasSameTime(file: string, before: FileFingerprint): Promise<boolean> {
  const now = await inspectFile(file).catch(() => undefined);
  return now?.bytes === before.bytes && now.modifiedMs === before.modifiedMs;
}
