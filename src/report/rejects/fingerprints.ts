import { hash } from "node:crypto";

/**
 * Computes fingerprints. A re-import uses fingerprints to recognise rows and cells without knowing their values. Every
 * fingerprint depends on a secret, because short values such as phone numbers could otherwise be found by trying every
 * possible value.
 */
export interface Fingerprints {
  /**
   * Returns the fingerprint of a cell, or `EMPTY_CELL`. Equal cells in different rows have different fingerprints,
   * unless they are empty.
   */
  readonly cell: (
    place: { readonly source: string; readonly row: number; readonly column: string },
    value: string,
  ) => string;
  /** Returns the fingerprint of a business key. It is the same for all rows of a record. */
  readonly key: (key: string) => string;
  /** Returns the fingerprint of all cells in a row. It is the same for equal rows of a source. */
  readonly row: (source: string, cells: readonly string[]) => string;
}

/** Number of base64url characters in a fingerprint, which represent 48 bits. */
export const FINGERPRINT_LENGTH = 8;

/** Represents an empty cell, which needs no secrecy. */
export const EMPTY_CELL: string = ".".repeat(FINGERPRINT_LENGTH);

/**
 * Computes the sha256 of the secret and the value, truncated to 48 bits. An HMAC would take four times as long. Its
 * protection against length extension is not needed, because hashes are truncated and no hashes from other parties are
 * accepted.
 * @param secret 256 random bits in base64url, used for one run or report only
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
