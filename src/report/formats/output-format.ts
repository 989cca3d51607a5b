/** What `--format` can put on stdout; `xlsx` goes to the report folder, and stdout has the text. */
export const FORMATS = ["text", "json", "ndjson", "csv", "junit", "github", "xlsx"] as const;
export type Format = (typeof FORMATS)[number];

/** What `--format` can make of records that were read from the platform. */
export const RECORD_FORMATS = ["text", "json", "ndjson", "csv"] as const;
export type RecordFormat = (typeof RECORD_FORMATS)[number];
