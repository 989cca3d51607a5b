import { hash } from "node:crypto";

/**
 * Recognises rows and cells without storing their values. Short values such as phone numbers could be found by trying
 * every possible value, so every fingerprint depends on the secret of its report.
 */
export interface Fingerprints {
  /** Fingerprint of a cell. It also depends on the row: equal cells in two rows have different fingerprints. */
  readonly cell: (
    place: { readonly source: string; readonly row: number; readonly column: string },
    value: string,
  ) => string;
  /** Fingerprint of a business key: the same for all rows of a record. */
  readonly key: (key: string) => string;
  /** Fingerprint of all cells in a row: the same for equal rows of a source. */
  readonly row: (source: string, cells: readonly string[]) => string;
}

/** Number of characters in a fingerprint: 48 bits. */
export const FINGERPRINT_LENGTH = 8;

/** Represents an empty cell, which is not secret. */
export const EMPTY_CELL: string = ".".repeat(FINGERPRINT_LENGTH);

/**
 * Computes sha256 over the secret and the value, truncated to 48 bits. An HMAC would take four times as long. It would
 * also prevent length extension, which is no threat here: hashes are truncated, and no hashes from other parties are
 * accepted.
 * @param secret belongs to this report only: 256 random bits as text
 */
export function createFingerprints(secret: string): Fingerprints {
  const of = (parts: readonly string[]): string =>
    hash("sha256", `${secret}\0${parts.join("\0")}`, "base64url").slice(0, FINGERPRINT_LENGTH);
  return {
    cell: ({ source, row, column }, value) =>
      value === "" ? EMPTY_CELL : of(["cell", source, String(row), column, value]),
    key: (key) => of(["key", key]),
    row: (source, cells) => of(["row", source, ...cells]),
  };
}
