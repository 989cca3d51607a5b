/** Where the documents lie that payloads point to (specification 2.5): the bucket of the platform, or a copy of it. */
export interface DocumentStore {
  /** Where it is, for people: `s3://bucket`, or the folder. */
  readonly name: string;
  /**
   * Whether there is a document with exactly this key, `root/location/path.pdf`.
   * @throws Failure `store_unreachable`, `store_refused`, `config` when the store does not tell
   */
  readonly has: (key: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}
