import { request as requestPlain } from "node:http";
import { request as requestSecure, type RequestOptions } from "node:https";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { Failure } from "../model/failure.ts";
import type { TransportError } from "./http.ts";

/** A proxy that tunnels to the platform: it sees the platform's host, but no content. */
export interface Proxy {
  /** `http://` or `https://`, without credentials. */
  readonly url: URL;
  /** `user:password`. */
  readonly credentials?: string | undefined;
}

interface TunnelOptions {
  readonly timeoutMs: number;
  /** Closes the connection to the proxy. */
  readonly signal: AbortSignal;
  /** For a proxy that uses TLS. */
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: true;
}

/**
 * @throws Failure `usage` for an invalid proxy address, or for credentials in it, because the address is stored with
 * the run
 */
export function parseProxyUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || url.hostname === "") {
    throw new Failure("usage", "the proxy's URL is not valid", {
      hint: "use an address such as http://proxy.example.com:3128",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new Failure("usage", "the proxy's URL must not contain credentials", {
      hint: "set MIGRATE_PROXY_CREDENTIALS to user:password",
    });
  }
  return url;
}

/**
 * The error for a tunnel that could not be opened. Its code is `PROXY_`, followed by the status of the proxy's reply or
 * by the code of the error that occurred.
 */
class ProxyError extends Error {
  readonly code: string;

  constructor(code: string, cause?: unknown) {
    super(`no tunnel through the proxy: ${code}`, { cause });
    this.name = "ProxyError";
    this.code = `PROXY_${code}`;
  }
}

/**
 * Opens a tunnel to `host:port` (RFC 9110, 9.3.6), and calls the callback once. If the tunnel cannot be opened, no part
 * of a request has been sent.
 */
export function openTunnel(
  proxy: Proxy,
  target: string,
  { timeoutMs, signal, ...tls }: TunnelOptions,
  done: (opened: Socket | ProxyError) => void,
): void {
  const asking =
    proxy.url.protocol === "https:"
      ? requestSecure(request(proxy, target, { signal, ...tls }))
      : requestPlain(request(proxy, target, { signal }));
  const timer = setTimeout(() => asking.destroy(new ProxyError("TIMEOUT")), timeoutMs);
  asking.once("connect", ({ statusCode = 0 }, socket: Socket, head) => {
    clearTimeout(timer);
    if (statusCode < 200 || statusCode >= 300) {
      socket.destroy();
      done(new ProxyError(String(statusCode)));
      return;
    }
    if (head.length > 0) socket.unshift(head);
    done(socket);
  });
  asking.once("error", (error: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    done(error instanceof ProxyError ? error : new ProxyError(error.code ?? error.name, error));
  });
  asking.end();
}

function request({ url, credentials }: Proxy, target: string, tls: Partial<TunnelOptions>): RequestOptions {
  const basic = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`;
  return {
    ...tls,
    host: url.hostname.replaceAll(/[[\]]/g, ""),
    port: url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port),
    method: "CONNECT",
    path: target,
    agent: false,
    headers: { host: target, ...(basic !== undefined && { "proxy-authorization": basic }) },
  };
}

/** Default ports, which a URL omits. */
export const DEFAULT_PORTS: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };

/**
 * Returns the failure for a request that the proxy blocks permanently: the proxy denies the request or cannot be found.
 * Returns undefined for other causes, and for temporary causes.
 */
export function proxyFailure(error: TransportError, origin: string): Failure | undefined {
  const [, code] = /^PROXY_(4\d\d|ENOTFOUND)$/.exec(error.code) ?? [];
  if (code === undefined || TEMPORARY_STATUSES.has(code)) return undefined;
  const refusal =
    code === "407" ? "requires valid credentials (HTTP 407)" : `blocks requests to ${origin} (HTTP ${code})`;
  const problem = code === "ENOTFOUND" ? "cannot be found" : refusal;
  return new Failure("config", `the proxy ${problem}`, {
    hint:
      code === "407"
        ? "set MIGRATE_PROXY_CREDENTIALS to user:password; if it is set, correct the user or the password"
        : "check --proxy, MIGRATE_PROXY, or the target's `proxy`; remove the setting to connect directly",
    cause: error,
  });
}

const TEMPORARY_STATUSES: ReadonlySet<string> = new Set(["408", "429"]);
