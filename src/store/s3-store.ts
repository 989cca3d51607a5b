import { AwsV4Signer } from "aws4fetch";
import type { Clock, Random } from "../model/clock.ts";
import type { HttpReply } from "../transport/http.ts";
import { createHttp } from "../transport/undici-http.ts";
import type { DocumentStore } from "./document-store.ts";
import { patiently } from "./patience.ts";
import type { Bucket } from "./s3-bucket.ts";
import { requireBucket, storeFailure } from "./s3-replies.ts";

/** An access key of an S3-compatible store. */
export interface StoreCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface S3Options {
  readonly credentials: StoreCredentials;
  /** PEM of an authority to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** Requests at once. */
  readonly connections: number;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * A bucket of an S3-compatible store, addressed by path, which every such store understands. It is asked for its
 * list first, because one that may not be listed answers 403 for what it does not have.
 * @throws Failure `config`, `store_refused`, `store_unreachable`, `wrong_endpoint`, `tls`
 */
export async function openS3Store(bucket: Bucket, options: S3Options): Promise<DocumentStore> {
  const { connections, ca } = options;
  const client = createHttp({ origin: bucket.endpoint, connections, ...(ca !== undefined && { ca }) });
  const closing = new AbortController();
  const ask = (method: "GET" | "HEAD", address: string): Promise<HttpReply> =>
    patiently(
      async () => {
        const url = new URL(address, bucket.endpoint);
        const headers = await signedHeaders(method, url, { bucket, options });
        return client.http({ method, url, headers, signal: closing.signal });
      },
      { ...options, origin: bucket.endpoint.origin, signal: closing.signal },
    );
  const close = async (): Promise<void> => {
    closing.abort();
    await client.close();
  };
  try {
    requireBucket(await ask("GET", `/${bucket.name}?list-type=2&max-keys=1&prefix=${encoded(bucket.prefix)}`), bucket);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    name: `s3://${bucket.name}${bucket.prefix === "" ? "" : `/${bucket.prefix.slice(0, -1)}`}`,
    has: async (key) => isThere(await ask("HEAD", `/${bucket.name}/${encodedPath(bucket.prefix + key)}`), bucket),
    close,
  };
}

function isThere(reply: HttpReply, bucket: Bucket): boolean {
  if (reply.status === 200) return true;
  if (reply.status === 404) return false;
  throw storeFailure(reply, bucket);
}

/** AWS Signature Version 4, anew for each try: a signature is good for some minutes only. */
async function signedHeaders(
  method: string,
  url: URL,
  { bucket, options }: { readonly bucket: Bucket; readonly options: S3Options },
): Promise<Readonly<Record<string, string>>> {
  const { accessKeyId, secretAccessKey, sessionToken } = options.credentials;
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    service: "s3",
    region: bucket.region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    datetime: new Date(options.clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
  });
  const { headers } = await signer.sign();
  return { ...Object.fromEntries(headers), "user-agent": options.userAgent };
}

function encodedPath(key: string): string {
  return key.split("/").map(encoded).join("/");
}

/** All but the unreserved characters of RFC 3986, as the signature has it. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
