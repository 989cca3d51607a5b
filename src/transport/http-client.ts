import { setMaxListeners } from "node:events";
import { Readable } from "node:stream";
import { createSecureContext, type PeerCertificate, rootCertificates, type SecureContext, TLSSocket } from "node:tls";
import { buildConnector, type Dispatcher, Pool } from "undici";
import { Failure } from "../model/failure.ts";
import { errorCode } from "../files/error-code.ts";
import { createAbortListeners, Exchange, PIECE_BYTES } from "./http-exchange.ts";
import type { Http, HttpRequest } from "./http.ts";
import { NO_TLS, probePlainHttp } from "./plain-http-probe.ts";
import { DEFAULT_PORTS, openTunnel, type Proxy } from "./proxy-tunnel.ts";

export interface HttpLimits {
  /** Maximum number of connections and of concurrent requests; further requests wait. */
  readonly connections: number;
  /** Called for every TLS connection after its certificate has been verified. */
  readonly onSecured?: (connection: SecuredConnection) => void;
  /**
   * Called immediately before the first byte of a request, once its connection is open. If it returns false, the
   * request fails with the code `HELD_BACK`.
   */
  readonly mayStart?: () => boolean;
  /** Maximum length of a reply's body. A longer body is truncated (`complete: false`). Default: 1 MiB. */
  readonly maxReplyBytes?: number;
}

export interface HttpOptions extends HttpLimits {
  /** The only origin to which requests may be sent: the scheme, host and port of this address. */
  readonly origin: URL;
  /** PEM certificates to trust in addition to the certificates of Node.js. */
  readonly ca?: string;
  readonly timeouts?: Partial<Timeouts>;
  /**
   * The proxy through which every connection is tunnelled. By default, there is no proxy, regardless of the
   * environment.
   */
  readonly proxy?: Proxy;
}

/** The result of a TLS handshake. */
export interface SecuredConnection {
  /** The version of TLS, such as `TLSv1.3`. */
  readonly protocol: string;
  /** The subject's common name, otherwise its organisation; empty if it has neither. The same applies to `issuer`. */
  readonly subject: string;
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly validTo: number;
}

export interface HttpClient {
  readonly http: Http;
  /** Closes every connection and aborts requests in flight. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a client for HTTPS over keep-alive connections to one origin: HTTP/1.1, one request at a time per connection,
 * TLS 1.2 or later, certificates always verified, redirects never followed. A request to any other origin is not sent
 * and fails (Failure `redirect`). A reply whose body stalled, was truncated or was too long is returned with `complete:
 * false`.
 */
export function createHttp(options: HttpOptions): HttpClient {
  // Fails before the first request if the process has too little memory for WebAssembly, which parses replies.
  void new WebAssembly.Memory({ initial: 1 });
  const timeouts: Timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const { maxReplyBytes = MAX_REPLY_BYTES, mayStart } = options;
  const limits = { totalMs: timeouts.totalMs, maxReplyBytes, mayStart };
  const { origin } = options.origin;
  // `pool.destroy` does not end connections that are still being opened.
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: noticingTls(connector(options, timeouts, closing.signal), options.onSecured),
  });
  const followAbort = createAbortListeners();

  const http: Http = (request) =>
    new Promise((resolve, reject) => {
      const { url, signal } = request;
      if (url.origin !== origin) {
        throw new Failure("redirect", `refused to send a request to ${url.origin} instead of ${origin}`, {
          hint: "requests and credentials are sent only to the base URL's origin",
        });
      }
      const exchange = new Exchange({ resolve, reject }, limits);
      if (signal !== undefined && !followAbort(signal, exchange)) return;
      try {
        pool.dispatch(dispatchOptions(request, exchange), exchange);
      } catch (cause) {
        exchange.refused(cause);
      }
    });
  const close = async (): Promise<void> => {
    await pool.destroy();
    closing.abort();
  };
  return { http, close };
}

function dispatchOptions({ method, url, headers, body }: HttpRequest, exchange: Exchange): Dispatcher.DispatchOptions {
  const path = url.pathname + url.search;
  if (body === undefined || body.length <= PIECE_BYTES) return { path, method, headers, body: body ?? null };
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const pieces = Readable.from(exchange.piecesOf(bytes), { objectMode: false, highWaterMark: 1 });
  return { path, method, headers: { ...headers, "content-length": String(bytes.length) }, body: pieces };
}

declare const WebAssembly: { readonly Memory: new (pages: { readonly initial: number }) => object };

function connector({ ca, proxy }: HttpOptions, { connectMs }: Timeouts, signal: AbortSignal): buildConnector.connector {
  if (proxy === undefined) {
    const probe = { timeoutMs: Math.min(connectMs, MAX_PROBE_MS), signal };
    return noticingPlainHttp(trustingConnector({ ca, timeoutMs: connectMs, signal }), probe);
  }
  const verified = { rejectUnauthorized: true, secureContext: wholeContext(ca), signal } as const;
  const direct = buildConnector({ timeout: connectMs, ...verified });
  return (target, callback) => {
    const address = `${target.hostname}:${target.port || DEFAULT_PORTS[target.protocol]}`;
    openTunnel(proxy, address, { timeoutMs: connectMs, ...verified }, (opened) => {
      if (opened instanceof Error) callback(opened, null);
      else if (target.protocol === "https:") direct({ ...target, httpSocket: opened }, callback);
      else callback(null, opened);
    });
  };
}

function noticingTls(connect: buildConnector.connector, onSecured: HttpOptions["onSecured"]): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...opened) => {
      const [, socket] = opened;
      if (socket instanceof TLSSocket) {
        // After an alert, the server closes the connection. Without this, undici would report only that closure.
        socket.once("error", (error) => socket.destroy(error));
        onSecured?.(securedConnection(socket));
      }
      callback(...opened);
    });
  };
}

function securedConnection(socket: TLSSocket): SecuredConnection {
  const { subject, issuer, valid_to: validTo } = socket.getPeerCertificate();
  return {
    protocol: socket.getProtocol() ?? "",
    subject: commonName(subject),
    issuer: commonName(issuer),
    validTo: Date.parse(validTo),
  };
}

function commonName(who: Partial<PeerCertificate["subject"]> | undefined): string {
  return [who?.CN ?? who?.O ?? ""].flat().join(" ");
}

/** Maximum timeout of a probe. A shorter connection timeout also applies to the probe. */
const MAX_PROBE_MS = 2_000;

/**
 * Returns a connector that probes a server with plain HTTP if a handshake times out, because the server might not use
 * TLS.
 */
function noticingPlainHttp(
  direct: buildConnector.connector,
  probe: { readonly timeoutMs: number; readonly signal: AbortSignal },
): buildConnector.connector {
  return (target, callback) => {
    direct(target, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else if (target.protocol !== "https:" || errorCode(error) !== "UND_ERR_CONNECT_TIMEOUT") callback(error, null);
      else {
        const port = Number(target.port || DEFAULT_PORTS[target.protocol]);
        const answered = (isPlain: boolean): void => callback(isPlain ? noTls(error) : error, null);
        probePlainHttp({ hostname: target.hostname, port, ...probe }, answered);
      }
    });
  };
}

function noTls(cause: Error): Error {
  return Object.assign(new Error("the server uses plain HTTP instead of TLS", { cause }), { code: NO_TLS });
}

/** Time limits for each part of a request, in milliseconds. No wait is unbounded. */
export interface Timeouts {
  /** TCP connection and TLS handshake. */
  readonly connectMs: number;
  /** From the request's last byte to the reply's header. */
  readonly headersMs: number;
  /** Between two chunks of the reply's body. */
  readonly bodyMs: number;
  /** The whole request, including the wait for a connection. */
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 60_000,
  bodyMs: 30_000,
  totalMs: 120_000,
};

/**
 * Time after which an idle connection is closed. Typical servers close idle connections after 5 s or more, possibly
 * just as a request begins.
 */
const KEEP_ALIVE_MS = 4_000;

/** Default maximum length of a reply's body, in bytes. */
export const MAX_REPLY_BYTES: number = 1024 * 1024;

/** Maximum length of a reply's header. */
export const MAX_HEADER_BYTES: number = 32 * 1024;

interface Trust {
  /** PEM certificates to trust in addition to the authorities. */
  readonly ca?: string | undefined;
  /** PEM certificates. Default: the certificates that are bundled with Node.js. */
  readonly authorities?: readonly string[];
  /** Timeout of the connection and the TLS handshake, in milliseconds. */
  readonly timeoutMs: number;
  /** Closes every connection. */
  readonly signal?: AbortSignal;
}

/**
 * Returns a connector for TLS 1.2 or later to servers whose certificates are signed by the authorities or by `ca`.
 * Loading all authorities in addition to `ca` takes Node.js about 30 ms. The server is therefore verified against `ca`
 * alone first. If `ca` has not signed the server's certificate, another connection is opened. That connection and all
 * later connections are verified against all authorities. No part of a request is sent before the certificate has been
 * verified.
 */
export function trustingConnector(trust: Trust): buildConnector.connector {
  const { ca } = trust;
  if (ca === undefined) return connectorTo(contextTrusting(undefined), trust);
  const own = connectorTo(contextTrusting([ca]), trust);
  let whole: buildConnector.connector | undefined;
  return (target, callback) => {
    if (whole !== undefined) return whole(target, callback);
    own(target, (...opened) => {
      const [error] = opened;
      if (error === null || !OTHER_ISSUER.has(errorCode(error) ?? "")) return callback(...opened);
      whole ??= connectorTo(wholeContext(ca, trust.authorities), trust);
      whole(target, callback);
    });
  };
}

/** Returns a context that trusts the authorities and `ca`. */
function wholeContext(ca: string | undefined, authorities: readonly string[] = rootCertificates): SecureContext {
  return contextTrusting(ca === undefined ? undefined : [...authorities, ca]);
}

function contextTrusting(ca: string[] | undefined): SecureContext {
  return createSecureContext({ minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) });
}

function connectorTo(secureContext: SecureContext, { timeoutMs, signal }: Trust): buildConnector.connector {
  return buildConnector({ timeout: timeoutMs, rejectUnauthorized: true, secureContext, ...(signal && { signal }) });
}

/** OpenSSL's codes for a chain that does not lead to a trusted certificate. */
const OTHER_ISSUER: ReadonlySet<string> = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
]);
