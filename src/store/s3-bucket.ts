import { Failure } from "../model/failure.ts";
import { isLoopback } from "../transport/base-url.ts";

export interface Bucket {
  readonly name: string;
  /** Prefix of every key: empty, or ending in a slash. */
  readonly prefix: string;
  readonly endpoint: URL;
  readonly region: string;
}

export interface BucketSettings {
  /** A folder, `s3://bucket`, or `s3://bucket/prefix`. */
  readonly location: string;
  /** By default, the AWS endpoint of the region. */
  readonly endpoint?: string | undefined;
  /** Default `us-east-1`. */
  readonly region?: string | undefined;
  /** Whether to allow `http://` to this machine. */
  readonly allowInsecureLoopback: boolean;
}

const DEFAULT_REGION = "us-east-1";

/** @throws Failure `usage` for an invalid address, region or endpoint */
export function parseBucket({ location, endpoint, region, allowInsecureLoopback }: BucketSettings): Bucket {
  const [, name, path = ""] = /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,254})(?:\/(.*))?$/.exec(location) ?? [];
  if (name === undefined) {
    throw new Failure("usage", `the store ${location} is not the address of a bucket`, {
      hint: "use an address such as s3://operator-files, and set the endpoint of the store with --endpoint",
    });
  }
  const regionName = region ?? DEFAULT_REGION;
  if (!/^[a-z0-9-]{1,64}$/i.test(regionName)) {
    throw new Failure("usage", `${regionName} is not the name of a region`, {
      hint: "set the region of the bucket, for example --region eu-west-2",
    });
  }
  const prefix = path.replace(/\/+$/, "");
  return {
    name,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint: parseEndpoint(endpoint ?? `https://s3.${regionName}.amazonaws.com`, allowInsecureLoopback),
    region: regionName,
  };
}

function parseEndpoint(text: string, allowInsecureLoopback: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const example = { hint: "use an address such as https://s3.eu-west-2.amazonaws.com" };
  if (url === undefined) throw new Failure("usage", "the store's endpoint is not a valid URL", example);
  const insecure = url.protocol === "http:" && isLoopback(url) && allowInsecureLoopback;
  if (url.protocol !== "https:" && !insecure) {
    throw new Failure("usage", "the store's endpoint must begin with https://", example);
  }
  if (url.href !== `${url.origin}/`) {
    throw new Failure("usage", "the store's endpoint must contain only a scheme, a host and optionally a port", {
      hint: `use ${url.origin}; set the bucket with --store, and credentials in the environment`,
    });
  }
  return url;
}
