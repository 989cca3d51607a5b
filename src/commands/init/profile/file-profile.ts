import { Failure } from "../../../model/failure.ts";
import {
  guessEncoding,
  type OpenedFile,
  openFile,
  type OpenOptions,
  rowsOfFile,
} from "../../../read/input/opened-file.ts";
import type { ReadRow } from "../../../read/row/read-row.ts";
import type { FoundFile } from "../../../read/input/source-files.ts";
import type { TextEncoding } from "../../../read/text/text-encoding.ts";

/** What one file of an extract is. */
export interface FileProfile {
  /** As the user named it. */
  readonly file: string;
  readonly path: string;
  /** Of workbooks, where the user named one. */
  readonly sheet: string | undefined;
  readonly kind: OpenedFile["kind"];
  /** Undefined for workbooks, which say it themselves. */
  readonly encoding: FileEncoding | undefined;
  /** Of CSV files: one character. */
  readonly delimiter: string | undefined;
  readonly rows: number;
  /** Rows that cannot be read as they should be (ragged, stray quotes, no object); their cells are not looked at. */
  readonly damaged: number;
}

export interface FileEncoding {
  readonly name: string;
  readonly byteOrderMark: boolean;
  /** The file is not UTF-8 and does not say what it is: the name is a guess, and has to be declared. */
  readonly guessed: boolean;
}

/** A file that was opened, in the encoding that it seems to have. */
export interface GuessedFile {
  readonly found: FoundFile;
  readonly opened: OpenedFile;
  readonly guessed: boolean;
}

/** Opens a file; one that is not UTF-8, and whose encoding nobody declared, in the encoding that it seems to have. */
export async function openGuessing(found: FoundFile, opening: OpenOptions): Promise<GuessedFile> {
  try {
    return { found, opened: await openFile(found, opening), guessed: false };
  } catch (error) {
    if (!mayGuess(error, opening)) throw error;
    return openGuessed(found, opening);
  }
}

/** The same file in the encoding that it seems to have: it is not UTF-8. */
export async function openGuessed(found: FoundFile, opening: OpenOptions): Promise<GuessedFile> {
  const encoding = await guessEncoding(found, opening);
  return { found, opened: await openFile(found, { ...opening, encoding }), guessed: true };
}

/** The file is no UTF-8, and nobody said what else it is. */
export function mayGuess(error: unknown, { encoding }: OpenOptions): boolean {
  return error instanceof Failure && error.code === "source_bad_encoding" && encoding === undefined;
}

/** Reads a file from its beginning to its end. */
export async function readWhole(
  { found, opened, guessed }: GuessedFile,
  onRows: (rows: readonly ReadRow[]) => void,
): Promise<FileProfile> {
  let [rows, damaged] = [0, 0];
  for await (const batch of rowsOfFile(opened)) {
    rows += batch.length;
    damaged += batch.filter(isDamaged).length;
    onRows(batch);
  }
  return {
    file: opened.file,
    path: opened.path,
    sheet: found.sheet,
    kind: opened.kind,
    encoding: opened.kind === "xlsx" ? undefined : encodingOf(opened.encoding, guessed),
    delimiter: opened.kind === "csv" ? opened.layout.delimiter : undefined,
    rows,
    damaged,
  };
}

function encodingOf({ name, bomBytes }: TextEncoding, guessed: boolean): FileEncoding {
  return { name, byteOrderMark: bomBytes > 0, guessed };
}

/** The row cannot be read as it should be. */
export function isDamaged({ problems }: ReadRow): boolean {
  return problems.some(({ severity }) => severity === "error");
}
