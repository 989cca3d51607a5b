/** The bounds of what is held in memory or unpacked, whatever the input holds. All sizes in bytes. */
export interface ReadLimits {
  /** The longest CSV record or row of a sheet; a quote that is still open after so much counts as never closed. */
  readonly csvRecordBytes: number;
  /** The most columns that a CSV file or a sheet may have. */
  readonly csvColumns: number;
  /** The longest JSON document, array element or line that is parsed as one record. */
  readonly jsonRecordBytes: number;
  /** The most that one file may hold once unpacked. */
  readonly inputBytes: number;
  /** The most parts (files in its zip archive) that a workbook may have. */
  readonly workbookParts: number;
  /** What the texts of a workbook may take in memory, which must hold all of them. */
  readonly workbookTextBytes: number;
  /** How many times its packed size a `.gz` or a part of a workbook may grow, checked once 10 MB are unpacked. */
  readonly gzipRatio: number;
  /** Child files that are together no larger than this are joined in memory, without looking at their order. */
  readonly memoryJoinBytes: number;
  /** The most rows of one child source that one parent row may have. */
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
