export interface RejectsSettings {
  /** The report folder that contains them. */
  readonly folder: string;
  readonly restoreKeys: boolean;
  readonly acceptChanges: boolean;
  readonly newKeys: boolean;
  /**
   * Set explicitly for the rejects; otherwise detected per file, because a spreadsheet may have saved it in another
   * encoding.
   */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
}
