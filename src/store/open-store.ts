import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../files/error-code.ts";
import { Failure } from "../model/failure.ts";
import type { DocumentStore } from "./document-store.ts";
import { type BucketSettings, parseBucket } from "./s3-bucket.ts";
import type { S3Connection, StoreKey } from "./s3-store.ts";

export interface StoreOptions extends BucketSettings, S3Connection {
  /** Called only for a bucket. Resolves to undefined if no credentials are set. */
  readonly credentials: () => Promise<StoreKey | undefined>;
}

/**
 * Opens the store at a location and checks that it can be queried. Loads the bucket client only if it is needed.
 * @throws Failure with exit code 2, 3 or 4 if the store cannot be queried
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

/**
 * Opens a folder that represents the bucket. A document is a regular file inside the folder, at any depth. A link that
 * leads out of the folder counts as absent.
 * @throws Failure `config` if the folder does not exist, is not a folder, or is not readable
 */
async function openFolderStore(folder: string): Promise<DocumentStore> {
  const root = await realpath(folder).catch((cause: unknown) => {
    throw notAFolder(folder, errorCode(cause) ?? "unknown", cause);
  });
  if (!(await stat(root)).isDirectory()) throw notAFolder(folder, "ENOTDIR");
  return { name: folder, has: (key) => hasFile(root, key), close: async () => undefined };
}

async function hasFile(root: string, key: string): Promise<boolean> {
  try {
    const real = await realpath(path.join(root, ...key.split("/")));
    return isBelow(root, real) && (await stat(real)).isFile();
  } catch (cause) {
    const code = errorCode(cause) ?? "unknown";
    if (ABSENT.has(code)) return false;
    throw new Failure("store_refused", `the store's folder ${root} cannot be searched: ${code}`, {
      hint: "check the permissions of the folder and its files",
      cause,
    });
  }
}

/** Error codes that mean that no file has this name, for example because the name is invalid. */
const ABSENT: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EINVAL"]);

function isBelow(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative !== "" && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..";
}

function notAFolder(folder: string, code: string, cause?: unknown): Failure {
  return new Failure("config", `the store ${folder} is not a readable folder: ${code}`, {
    hint: "use a folder, or a bucket in the form s3://bucket",
    cause,
  });
}
