/**
 * The store of the documents that payloads refer to (API specification 2.5): the platform's bucket, or a copy of it.
 */
export interface DocumentStore {
  /** Readable location: `s3://bucket`, or the folder. */
  readonly name: string;
  /**
   * Whether a document with exactly this key exists. Example of a key: `root/location/path.pdf`.
   * @throws Failure `store_unreachable`, `store_refused` or `config` if the store cannot be queried
   */
  readonly has: (key: string) => Promise<boolean>;
  readonly close: () => Promise<void>;
}
