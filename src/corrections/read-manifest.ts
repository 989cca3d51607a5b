import { lstat, stat } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { errorCode } from "../files/error-code.ts";
import { currentUser, sharingReason } from "../files/shared-folder.ts";
import { parseJson } from "../json/parse-json.ts";
import { Failure } from "../model/failure.ts";
import { fingerprintFile } from "../read/input/source-files.ts";
import { readTextFile } from "../read/text/text-file.ts";
import { WORKBOOK_FILE } from "../report/rejects/reject-file.ts";
import { FINGERPRINT_FILE, MANIFEST_FILE, type RejectsManifest } from "../report/rejects/rejects-manifest.ts";

const manifestSchema: z.ZodType<RejectsManifest> = z.object({
  version: z.literal(1),
  secret: z.string().min(32),
  command: z.string(),
  run: z.string(),
  settings: z.record(z.string(), z.unknown()),
  sheets: z.record(z.string(), z.string()),
  digests: z.record(z.string().regex(/^rejects[^/\\]*$/), z.string()),
  files: z.array(
    z.object({
      source: z.string(),
      file: z.string().regex(/^rejects[^/\\]*$/),
      kind: z.enum(["csv", "json"]),
      columns: z.array(z.string()),
      rows: z.number(),
    }),
  ),
});

/**
 * Reads the manifest of the rejects that the report in `folder` exported.
 * @throws Failure `source_unreadable` if there is no such report, `config` if other users could have written it
 */
export async function readManifest(folder: string): Promise<RejectsManifest> {
  const file = manifestPath(folder);
  await refuseForeign(file, folder);
  const { text } = await readTextFile(file);
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw notOfReport(file);
}

/** Returns the failure for a file that no report has written. */
export function notOfReport(file: string): Failure {
  return new Failure("source_unreadable", `${file}: this file is not part of a report`, { hint: PASS_AS_SOURCES });
}

export interface RejectsReport {
  readonly folder: string;
  readonly document: RejectsManifest;
}

/** Whether two reports exported rejects of the same run with the same settings. */
export function isSameExport({ document: one }: RejectsReport, { document: other }: RejectsReport): boolean {
  return one.run === other.run && one.secret === other.secret && isDeepStrictEqual(one.settings, other.settings);
}

/**
 * Returns the rejects files by source. Uses the sheets of the workbook if only the workbook has changed since the
 * export, or if the CSV files are missing.
 * @throws Failure `usage` if both the workbook and a CSV file have changed
 */
export async function returnedFiles(
  folder: string,
  document: RejectsManifest,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { files, sheets } = document;
  const usesWorkbook = await isWorkbookReturned(folder, document);
  const bySource = new Map<string, readonly string[]>();
  for (const { source, file, kind } of files) {
    const sheet = usesWorkbook && kind === "csv" ? sheets[source] : undefined;
    const place = path.join(folder, sheet === undefined ? file : `${WORKBOOK_FILE}#${sheet}`);
    bySource.set(source, [...(bySource.get(source) ?? []), place]);
  }
  return bySource;
}

/** Whether to read the workbook. Compares contents, because copying files changes their times. */
async function isWorkbookReturned(folder: string, { files, sheets, digests }: RejectsManifest): Promise<boolean> {
  const stateOf = (name: string): Promise<ReturnedState> => returnedState(path.join(folder, name), digests[name]);
  const workbook = await stateOf(WORKBOOK_FILE);
  if (workbook === "missing" || Object.keys(sheets).length === 0) return false;
  let isOnlyCopy = true;
  for (const { file } of files.filter(({ kind, source }) => kind === "csv" && source in sheets)) {
    const state = await stateOf(file);
    if (state === "changed" && workbook === "changed") throw bothChanged(folder, file);
    isOnlyCopy &&= state === "missing";
  }
  return workbook === "changed" || isOnlyCopy;
}

/** Returns the names of the rejects files that have changed since their export. Ignores missing files. */
export async function changedFiles(folder: string, { digests }: RejectsManifest): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [name, digest] of Object.entries(digests)) {
    if ((await returnedState(path.join(folder, name), digest)) === "changed") changed.push(name);
  }
  return changed;
}

type ReturnedState = "missing" | "same" | "changed";

async function returnedState(file: string, digest: string | undefined): Promise<ReturnedState> {
  const status = await stat(file).catch(() => undefined);
  if (status === undefined) return "missing";
  return (await fingerprintFile(file)).sha256 === digest ? "same" : "changed";
}

function bothChanged(folder: string, file: string): Failure {
  return new Failure("usage", `${folder}: both ${WORKBOOK_FILE} and ${file} have changed since they were exported`, {
    hint: "move the unwanted file to another folder",
  });
}

export function manifestPath(folder: string): string {
  return path.join(folder, MANIFEST_FILE);
}

export function fingerprintPath(folder: string): string {
  return path.join(folder, FINGERPRINT_FILE);
}

export const PASS_AS_SOURCES = "pass the corrected files as sources: --source <name>=<path>";

/**
 * Refuses a manifest that another user may have written, because the manifest names a mapping, and this program
 * executes the functions of that mapping.
 */
async function refuseForeign(file: string, folder: string): Promise<void> {
  const status = await lstat(file).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error;
    return undefined;
  });
  if (status === undefined) {
    throw new Failure(
      "source_unreadable",
      `${folder}: contains no rejects to re-import: there is no ${MANIFEST_FILE}`,
      {
        hint: `pass the folder of a report with rejects; otherwise ${PASS_AS_SOURCES}`,
      },
    );
  }
  if (process.platform === "win32") return;
  const sharing = sharingReason(await stat(folder), currentUser());
  const isLink = status.isSymbolicLink();
  const isPrivate = !isLink && (status.mode & WRITABLE_BY_OTHERS) === 0 && status.uid === process.getuid?.();
  if (isPrivate && sharing === undefined) return;
  const remedy = isLink ? "replace the link with the file" : `run \`chown $USER ${file} && chmod 600 ${file}\``;
  throw new Failure("config", `${file}: another user may have changed this file, which selects the mapping`, {
    hint: isPrivate
      ? `${sharing}; move the report to a folder to which only you can write`
      : `if the file is yours, ${remedy}`,
  });
}

const WRITABLE_BY_OTHERS = 0o022;
