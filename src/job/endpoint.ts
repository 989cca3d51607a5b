import type { OperationAddress } from "../contract/operations/operation.ts";
import { namesInPath } from "../contract/operations/request-parameters.ts";
import type { JsonObject } from "../json/json-value.ts";
import { OPEN_PARAMETER } from "../ledger/records/record-hashes.ts";
import { joinPath } from "../transport/base-url.ts";

/**
 * Returns the method and address at which an operation creates its records: `POST api.example.com/v1/accounts`. The
 * address includes the instance's own prefix. It is normalised, so that trailing slashes, parameter names and the
 * encoding of characters do not matter.
 */
export function endpointOf(baseUrl: string, { method, path }: OperationAddress): string {
  const { host, pathname } = joinPath(baseOf(baseUrl), path.replaceAll(/\{[^}]*\}/g, "{}"));
  return `${method.toUpperCase()} ${[host, ...segmentsOf(pathname)].join("/")}`;
}

/** Returns the endpoint of a record: the result of `endpointOf` with the values of the record's parameters. */
export function filledEndpoint(
  endpoint: string,
  { path }: { readonly path: string },
  parameters: JsonObject | undefined,
): string {
  if (parameters === undefined) return endpoint;
  const names = namesInPath(path).values();
  return endpoint.replaceAll(OPEN_PARAMETER, () => {
    const value = parameters[names.next().value ?? ""];
    return typeof value === "string" || typeof value === "number" ? encodeURIComponent(value) : OPEN_PARAMETER;
  });
}

/** Returns the instance of the platform: host and prefix, without the version. */
export function instanceOf(baseUrl: string): string {
  const { host, pathname } = baseOf(baseUrl);
  return [host, ...segmentsOf(pathname.replace(/v\d+\/$/, ""))].join("/");
}

function baseOf(baseUrl: string): URL {
  return new URL(baseUrl.endsWith("/") ? baseUrl : `${baseUrl}/`);
}

function segmentsOf(pathname: string): readonly string[] {
  return pathname
    .split("/")
    .filter((segment) => segment !== "")
    .map(canonicalSegment);
}

function canonicalSegment(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment));
  } catch {
    return segment;
  }
}
