import { Failure } from "../../../model/failure.ts";
import { refuseTitle } from "../../../read/csv/csv-header.ts";
import {
  guessEncoding,
  headerOf,
  type OpenedFile,
  openFile,
  type OpenOptions,
  rowsOfFile,
} from "../../../read/input/opened-file.ts";
import type { ReadRow } from "../../../read/row/read-row.ts";
import type { FoundFile } from "../../../read/input/source-files.ts";
import { hasErrors } from "../../../model/problem.ts";

export interface FileProfile {
  /** The name to display. */
  readonly file: string;
  readonly path: string;
  /** Sheet of a workbook, if the user named one. */
  readonly sheet: string | undefined;
  readonly kind: OpenedFile["kind"];
  /** Undefined for workbooks, which declare their own encoding. */
  readonly encoding: FileEncoding | undefined;
  /** One character; only for CSV files. */
  readonly delimiter: string | undefined;
  readonly rows: number;
  /**
   * The number of rows that cannot be read correctly (ragged, stray quotes, not an object). Their cells are not
   * analysed.
   */
  readonly unreadable: number;
}

export interface FileEncoding {
  readonly name: string;
  readonly byteOrderMark: boolean;
  /**
   * Whether the encoding is a guess, because the file is not UTF-8 and no encoding is declared. The user must then
   * declare it.
   */
  readonly guessed: boolean;
}

export interface GuessedFile {
  readonly found: FoundFile;
  readonly opened: OpenedFile;
  readonly guessed: boolean;
}

/**
 * Opens a file. Guesses the encoding if the file is not UTF-8 and no encoding is declared.
 * @throws Failure `source_bad_header` if the first line is probably a title; the failures of `openFile`
 */
export async function openGuessing(found: FoundFile, opening: OpenOptions): Promise<GuessedFile> {
  const file = await openFile(found, opening).then(
    (opened): GuessedFile => ({ found, opened, guessed: false }),
    (error: unknown) => {
      if (!mayGuess(error, opening)) throw error;
      return openGuessed(found, opening);
    },
  );
  const header = headerOf(file.opened);
  if (header !== undefined) refuseTitle(header);
  return file;
}

/**
 * Opens a file, or every visible sheet of a workbook with several sheets. If only some of the sheets can be read, omits
 * the others with a notice, because they often contain explanations.
 * @throws the failures of `openGuessing` if no sheet can be read
 */
export async function openEach(found: FoundFile, opening: OpenOptions): Promise<readonly GuessedFile[]> {
  const sheets = found.sheet === undefined && WORKBOOK_NAME.test(found.path) ? await sheetsOf(found, opening) : [];
  if (sheets.length < 2) return [await openGuessing(found, opening)];
  const opened: GuessedFile[] = [];
  const failures: Failure[] = [];
  for (const sheet of sheets) {
    try {
      opened.push(await openGuessing({ ...found, sheet }, opening));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  }
  const [first] = failures;
  if (opened.length === 0 && first !== undefined) throw first;
  for (const { message } of failures) opening.notify(opening.displayName(found.path), `omits a sheet: ${message}`);
  return opened;
}

const WORKBOOK_NAME = /\.xls[xm]$/i;

async function sheetsOf({ path, ...found }: FoundFile, opening: OpenOptions): Promise<readonly string[]> {
  const { visibleSheets } = await import("../../../read/workbook/open-workbook.ts");
  return visibleSheets({ ...found, path, file: opening.displayName(path), limits: opening.limits });
}

/** Opens a file that is not UTF-8 in a guessed encoding. */
export async function openGuessed(found: FoundFile, opening: OpenOptions): Promise<GuessedFile> {
  const encoding = await guessEncoding(found, opening);
  return { found, opened: await openFile(found, { ...opening, encoding }), guessed: true };
}

/** Whether the encoding may be guessed: the file is not UTF-8 and no encoding is declared. */
export function mayGuess(error: unknown, { encoding }: OpenOptions): boolean {
  return error instanceof Failure && error.code === "source_bad_encoding" && encoding === undefined;
}

export async function readWhole(
  { found, opened, guessed }: GuessedFile,
  onRows: (rows: readonly ReadRow[]) => void,
): Promise<FileProfile> {
  let [rows, unreadable] = [0, 0];
  for await (const batch of rowsOfFile(opened)) {
    rows += batch.length;
    unreadable += batch.filter(({ problems }) => hasErrors(problems)).length;
    onRows(batch);
  }
  const encoding = opened.kind === "xlsx" ? undefined : opened.encoding;
  return {
    file: opened.file,
    path: opened.path,
    sheet: found.sheet,
    kind: opened.kind,
    encoding: encoding && { name: encoding.name, byteOrderMark: encoding.bomBytes > 0, guessed },
    delimiter: opened.kind === "csv" ? opened.layout.delimiter : undefined,
    rows,
    unreadable,
  };
}
