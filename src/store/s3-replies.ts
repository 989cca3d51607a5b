import { Failure } from "../model/failure.ts";
import type { HttpReply } from "../transport/http.ts";
import type { Bucket } from "./s3-bucket.ts";

/**
 * Looks at what a bucket answered when it was asked for its list.
 * @throws Failure unless it is there and may be asked
 */
export function requireBucket(reply: HttpReply, bucket: Bucket): void {
  const { origin } = bucket.endpoint;
  if (reply.status === 200 && reply.body.includes("<ListBucketResult")) return;
  if (reply.status === 200) {
    throw new Failure("wrong_endpoint", `what answers at ${origin} is not an S3-compatible store`, {
      hint: "check --endpoint",
    });
  }
  if (reply.status !== 404) throw storeFailure(reply, bucket);
  throw new Failure("config", `there is no bucket ${bucket.name} at ${origin}`, {
    hint: "check the bucket in --store, or in the supplier's configuration, and --endpoint",
  });
}

/** Why a store did not say whether it has something. */
export function storeFailure(reply: HttpReply, bucket: Bucket): Failure {
  const { origin } = bucket.endpoint;
  const region = plainRegion(reply.headers["x-amz-bucket-region"] ?? /<Region>([^<]*)</.exec(reply.body)?.[1]);
  if (region !== undefined && region !== bucket.region) {
    return new Failure("config", `the bucket ${bucket.name} is in the region ${region}, not in ${bucket.region}`, {
      hint: `pass --region ${region}`,
    });
  }
  if (reply.status >= 300 && reply.status < 400) {
    return new Failure("redirect", `the store at ${origin} sends elsewhere (${reply.status})`, {
      hint: "check --endpoint and --region",
    });
  }
  const code = /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(reply.body)?.[1];
  const said = code === undefined ? String(reply.status) : `${reply.status}, ${code}`;
  return new Failure(
    "store_refused",
    `the store at ${origin} refuses to tell what bucket ${bucket.name} holds: ${said}`,
    {
      hint: HINTS.get(code ?? "") ?? "check the credentials: they need to list the bucket and to read its objects",
    },
  );
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["SignatureDoesNotMatch", "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: the one does not belong to the other"],
  ["InvalidAccessKeyId", "the store does not know the access key: check AWS_ACCESS_KEY_ID"],
  ["RequestTimeTooSkewed", "set this machine's clock right"],
  ["ExpiredToken", "get a new session token: AWS_SESSION_TOKEN has expired"],
]);

function plainRegion(said: string | undefined): string | undefined {
  return said !== undefined && /^[a-z0-9-]{1,64}$/.test(said) ? said : undefined;
}
