import type { JsonValue } from "../json/json-value.ts";
import { Failure } from "../model/failure.ts";
import { strip } from "../text/unicode-text.ts";

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/**
 * Parses the platform's base URL: https, ending in the version segment `/v1/` (specification 1 and 9); the trailing
 * slash is optional. Plain http is allowed only to this machine, and only if requested.
 * @throws Failure `usage`
 */
export function parseBaseUrl(text: string, options: { readonly allowInsecureLoopback: boolean }): URL {
  if (!URL.canParse(text)) throw refused("is not a valid URL", "use an address such as https://api.example.com/v1/");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw refused("must not contain credentials", "use MIGRATE_API_KEY or MIGRATE_TOKEN (in a program: `credentials`)");
  const loopback = isLoopback(url);
  const insecure = url.protocol === "http:" && loopback && options.allowInsecureLoopback;
  if (url.protocol !== "https:" && !insecure) {
    const hint = loopback ? "use https, or --allow-insecure-loopback" : "use https";
    throw refused(`must start with https://, not with ${url.protocol}//`, hint);
  }
  if (/[?#]/.test(text)) throw refused("must not contain a query or a fragment", `use ${url.origin}${url.pathname}`);
  if (!/\/v1\/?$/.test(url.pathname)) {
    throw refused(`must end in /v1/, but its path is ${url.pathname}`, `use an address such as ${url.origin}/v1/`);
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/**
 * Returns the address of a contract path. The path may have its own version: `/v2/data-import/accounts/` replaces the
 * `/v1/` of the base URL, and `/data-import/accounts/` is appended to the base URL. The origin is always the
 * origin of the base URL.
 */
export function joinPath(base: URL, contractPath: string): URL {
  const path = contractPath.replace(/^\/+/, "");
  const root = /^v\d+\//.test(path) ? base.pathname.replace(/v1\/$/, "") : base.pathname;
  const url = new URL(base);
  url.pathname = root + path;
  return url;
}

function refused(what: string, hint: string): Failure {
  return new Failure("usage", `the base URL ${what}`, { hint });
}

/** Returns the path with its parameter values, each encoded as one segment. */
export function filledPath(path: string, valueOf: (name: string) => JsonValue | undefined): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const value = valueOf(name);
    return encodedSegment(typeof value === "string" || typeof value === "number" ? String(value) : "");
  });
}

/**
 * Encodes a value as one segment. URL parsers treat `%2E` as a dot, so `.` and `..` would change the path even if they
 * were encoded once. Encoded twice, the segment matches no resource.
 */
function encodedSegment(value: string): string {
  return /^\.{1,2}$/.test(value) ? value.replaceAll(".", "%252E") : encodeURIComponent(value);
}

/** Whether a text can be one segment of a path: it is not blank, `.` or `..`, and has no unpaired surrogate. */
export function isPathSegment(text: string): boolean {
  return !/^\.{0,2}$/.test(strip(text)) && !/\p{Surrogate}/u.test(text);
}

/**
 * Encodes a code as one segment of a path, so that no value can lead to another path.
 * @param name description for the message; the code itself is not shown
 * @throws Failure `usage` for an invalid segment
 */
export function pathSegment(code: string, name: string): string {
  if (!isPathSegment(code)) {
    throw new Failure("usage", `${name} cannot be part of a URL path`, { hint: "check the spelling" });
  }
  return encodeURIComponent(code);
}
