import { hash } from "node:crypto";

/**
 * Tells rows and cells again without holding their values. Short values, such as phone numbers, could be found by trying
 * all of them: so every fingerprint depends on the secret of its report.
 */
export interface Fingerprints {
  /** Of a cell. It depends on the row, too: equal cells of two rows have different fingerprints. */
  readonly cell: (
    place: { readonly source: string; readonly row: number; readonly column: string },
    value: string,
  ) => string;
  /** Of a business key: the same for all rows of a record. */
  readonly key: (key: string) => string;
  /** Of all cells of a row: the same for equal rows of a source. */
  readonly row: (source: string, cells: readonly string[]) => string;
}

/** Characters of a fingerprint: 48 bits. */
export const FINGERPRINT_LENGTH = 8;

/** Stands for an empty cell, which is no secret. */
export const EMPTY_CELL: string = ".".repeat(FINGERPRINT_LENGTH);

/**
 * sha256 over the secret and the value, cut to 48 bits. What an HMAC guards against beyond that, a hash that somebody
 * continues, is of no use where hashes are cut and nobody else's are taken; it takes four times as long.
 * @param secret of this report alone, 256 random bits as text
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
