import type { KEYS, REJECTS } from "../../options/job-options.ts";
import type { RecordedValues } from "../../options/option-row.ts";

export interface RejectsSettings extends RecordedValues<typeof REJECTS>, RecordedValues<typeof KEYS> {
  /** The report folders that contain the rejects. */
  readonly folders: readonly string[];
  /**
   * The encoding that the user set for the rejects. Without it, the encoding is detected for each file, because a
   * spreadsheet may have saved the file in another encoding.
   */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
}
