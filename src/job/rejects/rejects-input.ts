import path from "node:path";
import {
  type CheckedCorrections,
  checkCorrections,
  type ReturnedRejects,
} from "../../corrections/check-corrections.ts";
import { correctionText, refuseUnexplained } from "../../corrections/correction-text.ts";
import { readManifest } from "../../corrections/read-manifest.ts";
import type { KeyColumns } from "../../corrections/returned-rows.ts";
import { savedEncoding } from "../../corrections/saved-encoding.ts";
import { type RejectsFolder, refuseSharedRecords, refuseSharedRows } from "../../corrections/shared-records.ts";
import type { RowName } from "../../ledger/records/planned-item.ts";
import type { Mapping } from "../../map/mapping.ts";
import { Failure } from "../../model/failure.ts";
import type { Row } from "../../model/record.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import type { KEYS, REJECTS } from "../../options/run-options.ts";
import type { RecordedValues } from "../../options/option-row.ts";
import { withDescendants } from "../../read/input/opened-source.ts";
import { findFiles } from "../../read/input/source-files.ts";
import { DEFAULT_LIMITS } from "../../read/read-limits.ts";
import type { FileEnvironment } from "../dependencies.ts";

/** The options for reading rejects whose changes have been checked. */
export interface OpenedRejects {
  readonly encodingOf: (path: string) => string | undefined;
  /** Restores keys in a row of a source. */
  readonly amend: ((row: Row) => Row) | undefined;
  /** Whether a file has rows without text, which must be skipped. Other files are then also read row by row. */
  readonly skipsEmptyRows: boolean;
  /** Whether the folders contain the row that this run exported for a record without a key. */
  readonly hasReturned: (run: string, record: number) => boolean;
  /** The exported records that the folders contain with changed keys. */
  readonly keyChanged: readonly RowName[];
  /** The ids of the runs that exported the rejects. */
  readonly exportedBy: readonly string[];
  readonly close: () => void;
}

export interface RejectsContext {
  readonly plan: SourceSpec;
  readonly mapping: Mapping;
  readonly rejects: RejectsSettings;
  /** Encoding of the run's sources, if it was declared. */
  readonly encoding: string | undefined;
  readonly showValues: boolean;
  /** Receives the changes to each folder, for a command that does not push them. */
  readonly onReturned?: ((returned: ReturnedRejects) => void) | undefined;
  readonly dependencies: FileEnvironment;
}

/**
 * Opens the rejects and reports their changes since the export. Compares each folder with its own export.
 * @throws Failure `rejects_changed` for changes that were neither requested nor accepted, `usage` for folders that
 * cannot be read together
 */
export async function openRejects(context: RejectsContext): Promise<OpenedRejects> {
  const { plan, mapping, rejects, dependencies } = context;
  const { temporaryFolder: tempFolder } = dependencies;
  const encodings = await encodingsOf(context);
  const encodingOf = (file: string): string | undefined => encodings.get(file);
  const reading = {
    encoding: undefined,
    encodingOf,
    mayBeEmpty: true,
    delimiter: rejects.delimiter,
    limits: DEFAULT_LIMITS,
    notify: () => undefined,
    displayName: (file: string) => file,
  };
  const keyColumns = keyColumnsOf(plan, mapping);
  const { restoreKeys } = rejects;
  const folders: RejectsFolder[] = [];
  const checks: CheckedCorrections[] = [];
  const close = (): void => checks.splice(0).forEach((check) => check.close());
  try {
    for (const folder of rejects.folders) {
      const document = await readManifest(folder);
      const own = rejects.folders.length === 1 ? plan : sourcesIn(plan, folder);
      folders.push({ folder, document, plan: own });
    }
    await refuseSharedRecords(folders, tempFolder);
    for (const { folder, document: manifest, plan: own } of folders) {
      const options = { folder, manifest, restoreKeys, reading, keyColumns, tempFolder };
      checks.push(await checkCorrections(own, { ...options, listsRows: context.onReturned !== undefined }));
    }
    reportChanges(checks, context);
    const restorers = checks.flatMap(({ restore }) => restore ?? []);
    const amend =
      restorers.length === 0 ? undefined : (row: Row) => restorers.reduce((now, restore) => restore(now), row);
    const skipsEmptyRows = checks.some(({ findings }) => findings.emptyRows > 0);
    await refuseSharedRows(folders, { reading: { ...reading, amend, skipsEmptyRows }, tempFolder });
    return {
      encodingOf,
      amend,
      skipsEmptyRows,
      hasReturned: (run, record) =>
        checks.some(({ manifest, withoutKey }) => manifest.run === run && withoutKey.has(record)),
      keyChanged: checks.flatMap(({ manifest: { run }, keyChanged }) => keyChanged.map((record) => ({ run, record }))),
      exportedBy: [...new Set(checks.map(({ manifest }) => manifest.run))],
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function reportChanges(
  checks: readonly CheckedCorrections[],
  { rejects, showValues, onReturned, dependencies }: RejectsContext,
): void {
  for (const { findings } of checks) for (const text of correctionText(findings, showValues)) dependencies.notice(text);
  const outcome = onReturned === undefined ? "nothing was sent" : "no corrections were added";
  // The order of the rows has no effect on corrections.
  const ignored = onReturned === undefined ? {} : { listOrder: [] };
  for (const { findings } of checks) refuseUnexplained({ ...findings, ...ignored }, rejects, outcome);
  for (const check of checks) onReturned?.(check);
}

/** Returns the sources, each with only the files that are in this folder. A sheet is in the folder of its workbook. */
function sourcesIn<Source extends SourceSpec>(source: Source, folder: string): Source {
  const isIn = (file: string): boolean => path.resolve(path.dirname(file)) === path.resolve(folder);
  const children = source.children.map((child) => sourcesIn(child, folder));
  return { ...source, files: source.files.filter(isIn), children };
}

/**
 * Detects the encoding of each file unless the user specified one, because a spreadsheet program may save a UTF-8 file
 * as windows-1252.
 */
async function encodingsOf({
  plan,
  rejects,
  encoding = "windows-1252",
  dependencies,
}: RejectsContext): Promise<ReadonlyMap<string, string | undefined>> {
  const encodings = new Map<string, string | undefined>();
  for (const { name, files, sheet } of withDescendants<SourceSpec>(plan)) {
    const searched = findFiles(files, { defaultSheet: sheet, notify: () => undefined });
    const found = await searched.catch((error: unknown) => {
      throw withRemedy(error, name, rejects.folders);
    });
    for (const { path: file } of found) {
      const saved = rejects.encoding ?? (await savedEncoding(file, encoding));
      if (saved !== undefined && saved !== rejects.encoding)
        dependencies.notice(`${file}: no longer UTF-8, so it is read as ${saved}`);
      encodings.set(file, saved);
    }
  }
  return encodings;
}

/** Adds a hint to the failure for an exported file that is no longer in its folder. */
function withRemedy(error: unknown, source: string, folders: readonly string[]): unknown {
  if (!(error instanceof Failure) || error.file === undefined || error.hint !== undefined) return error;
  const { code, message, file } = error;
  const own = path.resolve(path.dirname(file));
  if (folders.every((folder) => path.resolve(folder) !== own)) return error;
  const elsewhere = folders.length > 1 ? "" : `, or pass its new path: --source ${source}=<path>`;
  const hint = `the report exported this file: put it back into the folder${elsewhere}`;
  return new Failure(code, message, { hint, file, cause: error });
}

/** Returns a function that finds the columns or paths that join the rows of a source or form the business key. */
function keyColumnsOf(plan: SourceSpec, mapping: Mapping): KeyColumns {
  const keys = withDescendants<SourceSpec>(plan).flatMap(({ name: source, key, children }) => [
    { source, column: key },
    ...children.flatMap(({ name, on, parentKey }) => [
      { source: name, column: on },
      { source, column: parentKey },
    ]),
  ]);
  return (name) =>
    [...keys, ...mapping.keyColumns].flatMap(({ source, column }) =>
      source === name && column !== undefined ? [column] : [],
    );
}

export interface RejectsSettings extends RecordedValues<typeof REJECTS>, RecordedValues<typeof KEYS> {
  /** The report folders that contain the rejects. */
  readonly folders: readonly string[];
  /**
   * The encoding that the user set for the rejects. If absent, the encoding is detected for each file, because a
   * spreadsheet may have saved the file in another encoding.
   */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
}
