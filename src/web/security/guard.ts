import type { Context, MiddlewareHandler, Next } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { definedMembers } from "../../json/defined-members.ts";
import { RefusedRequest } from "../error-reply.ts";
import type { WebAccess, WebSession } from "./access.ts";

/**
 * The header with the key of a session. Before a browser sends this header to another origin, it sends a preflight
 * request.
 */
const KEY_HEADER = "x-migrate-key";

/**
 * Refuses requests that name another host. This protects against DNS rebinding.
 * @throws RefusedRequest `wrong_host`
 */
export function checkHost(port: () => number): MiddlewareHandler {
  return async (context, next) => {
    if (ownHosts(port()).includes(context.req.header("host") ?? "")) return next();
    throw new RefusedRequest(
      421,
      "wrong_host",
      "This server accepts only requests to 127.0.0.1 or localhost, with its own port",
      "Through an SSH tunnel, use the same port on both machines.",
    );
  };
}

function ownHosts(port: number): readonly string[] {
  // Browsers omit the default port.
  const suffix = port === 80 ? ["", ":80"] : [`:${port}`];
  return suffix.flatMap((text) => [`127.0.0.1${text}`, `localhost${text}`]);
}

/**
 * Refuses requests from pages of other origins. Browsers send `Origin` with every POST request, and `Sec-Fetch-Site`
 * with every request.
 * @throws RefusedRequest `wrong_origin`, `invalid_request`
 */
export async function checkOrigin({ req }: Context, next: Next): Promise<void> {
  const { origin, host, "sec-fetch-site": site } = req.header();
  const isChange = req.method !== "GET" && req.method !== "HEAD";
  const isOwn = origin === undefined ? !isChange : origin === `http://${host}`;
  if (!isOwn || (site !== undefined && site !== "same-origin")) {
    throw new RefusedRequest(403, "wrong_origin", "Requests from other sites are refused");
  }
  if (isChange && req.header("content-type")?.split(";")[0] !== "application/json") {
    throw new RefusedRequest(415, "invalid_request", "Expected a JSON body");
  }
  // The limit on the size of a body needs the size in advance.
  const hasSize = req.header("content-length") !== undefined && req.header("transfer-encoding") === undefined;
  if (isChange && !hasSize) {
    throw new RefusedRequest(411, "invalid_request", "A request must state its size");
  }
  await next();
}

/** @throws RefusedRequest `no_session` */
export function checkSession(access: WebAccess, port: () => number): MiddlewareHandler {
  return async (context, next) => {
    const [cookie, key] = [getCookie(context, cookieName(port())), context.req.header(KEY_HEADER)];
    if (!access.isKnown(definedMembers({ cookie, key }))) throw noSession();
    await next();
  };
}

export function noSession(): RefusedRequest {
  return new RefusedRequest(
    401,
    "no_session",
    "This page has no valid session",
    "Open the address that `migrate web` shows in its terminal. It contains a token.",
  );
}

export function setSessionCookie(context: Context, { cookie }: WebSession, port: number): void {
  setCookie(context, cookieName(port), cookie, { httpOnly: true, sameSite: "Strict", path: "/" });
}

/** Includes the port in the name, because all ports of a host share their cookies. */
function cookieName(port: number): string {
  return `migrate-${port}`;
}
