import type { ColumnProfile } from "./profile/column-profile.ts";
import type { FileProfile } from "./profile/file-profile.ts";

/** A source of the new mapping: files with the same columns. */
export interface SourceProfile {
  /** Its name in the mapping. */
  readonly name: string;
  readonly files: readonly FileProfile[];
  /** Number of rows in all its files. */
  readonly rows: number;
  /** Statistics over all its files. */
  readonly columns: readonly ColumnProfile[];
}
