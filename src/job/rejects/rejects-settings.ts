import type { KEYS, REJECTS } from "../../options/job-options.ts";
import type { RecordedValues } from "../../options/option-row.ts";

export interface RejectsSettings extends RecordedValues<typeof REJECTS>, RecordedValues<typeof KEYS> {
  /** The report folders that contain the rejects. */
  readonly folders: readonly string[];
  /**
   * Set explicitly for the rejects. Otherwise it is detected for each file, because a spreadsheet may have saved the
   * file in another encoding.
   */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
}
