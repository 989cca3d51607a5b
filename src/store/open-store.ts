import { Failure } from "../model/failure.ts";
import type { DocumentStore } from "./document-store.ts";
import { openFolderStore } from "./folder-store.ts";
import { type BucketSettings, parseBucket } from "./s3-bucket.ts";
import type { S3Options, StoreKey } from "./s3-store.ts";

export interface StoreOptions extends BucketSettings, Omit<S3Options, "credentials"> {
  /** A folder, or `s3://bucket`. */
  readonly location: string;
  /** Called only if the store requires credentials. */
  readonly credentials: () => Promise<StoreKey | undefined>;
}

/**
 * Opens the store at a location and checks that it can be queried. The bucket client is loaded on demand.
 * @throws Failure with exit code 2, 3 or 4 if it cannot
 */
export async function openStore(options: StoreOptions): Promise<DocumentStore> {
  const { location } = options;
  if (!location.includes("://")) return openFolderStore(location);
  const bucket = parseBucket(options);
  const credentials = await options.credentials();
  if (credentials === undefined) {
    throw new Failure("config", `there are no credentials for the store ${location}`, {
      hint: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or set `store.credentialsFile` to a private file",
    });
  }
  const { openS3Store } = await import("./s3-store.ts");
  return openS3Store(bucket, { ...options, credentials });
}
