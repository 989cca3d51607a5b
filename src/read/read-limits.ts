/** The bounds of what is held in memory or unpacked, whatever the input holds. All sizes in bytes. */
export interface ReadLimits {
  /** The longest CSV record; a quote that is still open after so much counts as never closed. */
  readonly csvRecordBytes: number;
  /** The most columns that a CSV file may have. */
  readonly csvColumns: number;
  /** The longest JSON document, array element or line that is parsed as one record. */
  readonly jsonRecordBytes: number;
  /** The most that one file may hold once unpacked. */
  readonly inputBytes: number;
  /** How many times its packed size a `.gz` may grow, checked once 10 MB are unpacked. */
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
  gzipRatio: 200,
  memoryJoinBytes: 8 * MIB,
  rowsPerParent: 100_000,
};
