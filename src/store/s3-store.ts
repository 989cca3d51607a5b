import { AwsV4Signer } from "aws4fetch";
import { Failure } from "../model/failure.ts";
import { type Clock, type Random, timestamp } from "../time/clock.ts";
import { createHttp } from "../transport/http-client.ts";
import { type Http, type HttpReply, type HttpRequest, TransportError } from "../transport/http.ts";
import { createCredentialMask, maskingHttp } from "../transport/masking-http.ts";
import { isTemporary, retryingHttp } from "../transport/retrying-http.ts";
import { tlsFailure } from "../transport/tls.ts";
import type { DocumentStore } from "./document-store.ts";
import type { Bucket } from "./s3-bucket.ts";

/** An access key of an S3-compatible store. */
export interface StoreCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** Returns the key for the next request. Renews temporary credentials before they expire. */
export type StoreKey = () => Promise<StoreCredentials>;

export interface S3Connection {
  /** PEM of a certificate authority that is trusted in addition to the default authorities. */
  readonly ca?: string | undefined;
  /** Maximum number of concurrent requests. */
  readonly connections: number;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
}

interface S3Options extends S3Connection {
  readonly credentials: StoreKey;
}

/**
 * Opens a bucket of an S3-compatible store. Uses path-style addressing, which every such store supports. Lists the
 * bucket first, because the store replies with 403 for missing objects if the user may not list the bucket.
 * @throws Failure `config`, `store_refused`, `store_unreachable`, `wrong_endpoint`, `tls`
 */
export async function openS3Store(bucket: Bucket, options: S3Options): Promise<DocumentStore> {
  const { connections, ca } = options;
  const client = createHttp({ origin: bucket.endpoint, connections, ...(ca !== undefined && { ca }) });
  const closing = new AbortController();
  const mask = createCredentialMask();
  const credentials: StoreKey = async () => {
    const key = await options.credentials();
    mask.learn(key.secretAccessKey);
    if (key.sessionToken !== undefined) mask.learn(key.sessionToken);
    return key;
  };
  const http = retryingHttp(signing(maskingHttp(client.http, mask), bucket, { ...options, credentials }), {
    ...options,
    maxTries: MAX_TRIES,
    reasonToRetry,
  });
  const { origin } = bucket.endpoint;
  const ask = async (method: "GET" | "HEAD", address: string): Promise<HttpReply> => {
    const request = { method, url: new URL(address, origin), headers: {}, signal: closing.signal };
    const reply = await http(request).catch((error: unknown) => {
      throw error instanceof TransportError ? unreachable(error, origin) : error;
    });
    if (!isTemporary(reply.status)) return reply;
    throw new Failure("store_unreachable", `the store at ${origin} keeps replying with status ${reply.status}`, {
      hint: UNREACHABLE_HINT,
    });
  };
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
    has: async (key) =>
      bucketHasObject(await ask("HEAD", `/${bucket.name}/${encodedPath(bucket.prefix + key)}`), bucket),
    close,
  };
}

function bucketHasObject(reply: HttpReply, bucket: Bucket): boolean {
  if (reply.status === 200) return true;
  if (reply.status === 404) return false;
  throw storeFailure(reply, bucket);
}

/**
 * Returns an `Http` that signs requests with AWS Signature Version 4. Signs each attempt again, because a signature
 * expires within minutes.
 */
function signing(http: Http, bucket: Bucket, options: S3Options): Http {
  return async (request) => http({ ...request, headers: await signedHeaders(request, bucket, options) });
}

async function signedHeaders(
  { method, url }: HttpRequest,
  bucket: Bucket,
  options: S3Options,
): Promise<Readonly<Record<string, string>>> {
  const { accessKeyId, secretAccessKey, sessionToken } = await options.credentials();
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    service: "s3",
    region: bucket.region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    datetime: timestamp(options.clock).replaceAll(/[:-]|\.\d{3}/g, ""),
  });
  const { headers } = await signer.sign();
  return { ...Object.fromEntries(headers), "user-agent": options.userAgent };
}

function encodedPath(key: string): string {
  return key.split("/").map(encoded).join("/");
}

/** Encodes all characters except the unreserved characters of RFC 3986, as the signature requires. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Checks the reply to the list request.
 * @throws Failure unless the bucket exists and can be queried
 */
function requireBucket(reply: HttpReply, bucket: Bucket): void {
  const { origin } = bucket.endpoint;
  if (reply.status === 200 && reply.body.includes("<ListBucketResult")) return;
  if (reply.status === 200) {
    throw new Failure("wrong_endpoint", `the server at ${origin} is not an S3-compatible store`, {
      hint: "check --endpoint",
    });
  }
  if (reply.status !== 404) throw storeFailure(reply, bucket);
  throw new Failure("config", `there is no bucket ${bucket.name} at ${origin}`, {
    hint: "check --endpoint and the name of the bucket (--store, `store` in migrate.yaml, or `bucket` of the supplier)",
  });
}

/** Returns the failure for a reply that does not show whether the bucket or an object exists. */
function storeFailure(reply: HttpReply, bucket: Bucket): Failure {
  const { origin } = bucket.endpoint;
  const region = plainRegion(reply.headers["x-amz-bucket-region"] ?? /<Region>([^<]*)</.exec(reply.body)?.[1]);
  if (region !== undefined && region !== bucket.region) {
    return new Failure("config", `the bucket ${bucket.name} is in the region ${region}, not in ${bucket.region}`, {
      hint: `pass --region ${region}`,
    });
  }
  if (reply.status >= 300 && reply.status < 400) {
    return new Failure("redirect", `the store at ${origin} redirects to another address (${reply.status})`, {
      hint: "check --endpoint and --region",
    });
  }
  const code = /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(reply.body)?.[1];
  const answer = code === undefined ? String(reply.status) : `${reply.status}, ${code}`;
  return new Failure("store_refused", `the store at ${origin} denies access to the bucket ${bucket.name}: ${answer}`, {
    hint:
      HINTS.get(code ?? "") ?? "check the credentials: they need permission to list the bucket and read its objects",
  });
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["SignatureDoesNotMatch", "check the store's credentials: the access key and its secret do not match"],
  ["InvalidAccessKeyId", "check the store's credentials: the store does not recognise the access key"],
  ["RequestTimeTooSkewed", "correct this machine's clock"],
  ["ExpiredToken", "get a new session token: the one in use has expired"],
]);

function plainRegion(region: string | undefined): string | undefined {
  return region !== undefined && /^[a-z0-9-]{1,64}$/.test(region) ? region : undefined;
}

const MAX_TRIES = 6;

/** Returns the reason to retry a request; undefined for a TLS failure, which a retry cannot fix. */
function reasonToRetry(error: TransportError, origin: string): string | undefined {
  return tlsFailure(error, origin) === undefined ? error.code : undefined;
}

function unreachable(error: TransportError, origin: string): Failure {
  return (
    tlsFailure(error, origin) ??
    new Failure("store_unreachable", `cannot reach the store at ${origin}: ${error.code}`, {
      hint: UNREACHABLE_HINT,
      cause: error,
    })
  );
}

const UNREACHABLE_HINT = "check --endpoint and the network, then run the same command again";
