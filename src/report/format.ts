/** What `--format` can put on stdout. */
export const FORMATS = ["text", "json", "ndjson", "csv", "junit", "github"] as const;
export type Format = (typeof FORMATS)[number];
