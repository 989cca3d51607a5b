/** How rejects are taken back. */
export interface RejectsSettings {
  /** The report folder that they lie in. */
  readonly folder: string;
  readonly restoreKeys: boolean;
  readonly acceptChanges: boolean;
  readonly newKeys: boolean;
  /** Given for the rejects themselves; otherwise found from each file, which a spreadsheet may have saved anew. */
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
}
