/** Limits on data in memory and on unpacked data. All sizes are in bytes. */
export interface ReadLimits {
  /**
   * Maximum length of a CSV record or a row of a sheet. A quote that is still open after this length is reported as
   * unclosed.
   */
  readonly csvRecordBytes: number;
  /** Maximum number of columns of a CSV file or a sheet. */
  readonly csvColumns: number;
  /** Maximum length of a JSON document, array element or line that is parsed as one record. */
  readonly jsonRecordBytes: number;
  /** Maximum size of one file after unpacking. */
  readonly inputBytes: number;
  /** Maximum number of parts of a workbook (files in its ZIP archive). */
  readonly workbookParts: number;
  /** Maximum memory for the shared strings of a workbook, which are all kept in memory. */
  readonly workbookTextBytes: number;
  /**
   * Maximum ratio of the unpacked size of a `.gz` file, or of one part of a workbook, to the size of the file on disk.
   * Checked only if more than 10 MB are unpacked.
   */
  readonly gzipRatio: number;
  /**
   * Maximum total size, after unpacking, of child files that are joined in memory. Such files are not checked for
   * sorted rows.
   */
  readonly memoryJoinBytes: number;
  /** Maximum number of rows of one child source per parent row. */
  readonly rowsPerParent: number;
}

const MIB = 2 ** 20;

export const DEFAULT_LIMITS: ReadLimits = {
  csvRecordBytes: MIB,
  csvColumns: 50_000,
  jsonRecordBytes: 16 * MIB,
  inputBytes: 2 ** 40,
  workbookParts: 10_000,
  workbookTextBytes: 512 * MIB,
  gzipRatio: 200,
  memoryJoinBytes: 8 * MIB,
  rowsPerParent: 100_000,
};
