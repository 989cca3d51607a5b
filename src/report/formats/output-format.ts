/**
 * Formats that `--format` can write to stdout. For `xlsx`, stdout contains the text format, and the workbook is in the
 * report folder.
 */
export const FORMATS = ["text", "json", "ndjson", "csv", "junit", "github", "xlsx"] as const;
export type Format = (typeof FORMATS)[number];

/** Formats that `--format` supports for records read from the platform. */
export const RECORD_FORMATS = ["text", "json", "ndjson", "csv"] as const;
export type RecordFormat = (typeof RECORD_FORMATS)[number];
