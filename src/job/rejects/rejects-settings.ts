export interface RejectsSettings {
  /** The report folder that contains them. */
  readonly folder: string;
  readonly restoreKeys: boolean;
  readonly acceptChanges: boolean;
  readonly newKeys: boolean;
  /**
   * Set explicitly for the rejects. Otherwise it is detected for each file, because a spreadsheet may have saved the
   * file in another encoding.
   */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
}
