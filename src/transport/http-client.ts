import { Readable } from "node:stream";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { buildConnector, type Dispatcher, Pool } from "undici";
import { Failure } from "../model/failure.ts";
import { errorCode } from "../files/error-code.ts";
import { createAbortListeners, Exchange, PIECE_BYTES } from "./http-exchange.ts";
import type { Http, HttpRequest } from "./http.ts";
import { NO_TLS, probePlainHttp } from "./plain-http-probe.ts";
import { DEFAULT_PORTS, openTunnel, type Proxy } from "./proxy-tunnel.ts";
import { trustingConnector, wholeContext } from "./trusting-connector.ts";

export interface HttpOptions {
  /** Where requests may go: scheme, host and port of this address, and nowhere else. */
  readonly origin: URL;
  /** Connections at most; as many requests are under way at once, further ones wait their turn. */
  readonly connections: number;
  /** PEM certificates trusted beside the ones Node.js brings. */
  readonly ca?: string;
  readonly timeouts?: Partial<Timeouts>;
  /** Every connection is a tunnel through this proxy; default: none, whatever the environment says. */
  readonly proxy?: Proxy;
  /** Told of every TLS connection once its certificate has been verified. */
  readonly onSecured?: (connection: SecuredConnection) => void;
  /** Asked right before the first byte of a request, when its connection is there; false: it is `HELD_BACK`. */
  readonly mayStart?: () => boolean;
  /** A longer body is cut here (`complete: false`), default 1 MiB. */
  readonly maxReplyBytes?: number;
}

/** What was agreed on in a TLS handshake. */
export interface SecuredConnection {
  /** `TLSv1.3`. */
  readonly protocol: string;
  /** Common names of the certificate and of who signed it; empty where there is none. */
  readonly subject: string;
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly validTo: number;
}

export interface HttpClient {
  readonly http: Http;
  /** Drops every connection, requests under way included. */
  readonly close: () => Promise<void>;
}

/**
 * HTTPS over keep-alive connections to one origin: HTTP/1.1, one request at a time on each connection, TLS 1.2 or
 * newer, certificates always verified, redirects never followed. Requests to any other origin are refused unsent
 * (Failure `redirect`). A reply whose body was cut, stalled or too long is returned with `complete: false`.
 */
export function createHttp(options: HttpOptions): HttpClient {
  requireWasmMemory();
  const timeouts: Timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const { maxReplyBytes = MAX_REPLY_BYTES, mayStart } = options;
  const limits = { totalMs: timeouts.totalMs, maxReplyBytes, mayStart };
  const { origin } = options.origin;
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect: noticingTls(connector(options, timeouts), options.onSecured),
  });
  const followAbort = createAbortListeners();

  const http: Http = (request) =>
    new Promise((resolve, reject) => {
      const { url, signal } = request;
      if (url.origin !== origin) throw foreignOrigin(url, origin);
      const exchange = new Exchange({ resolve, reject }, limits);
      if (signal !== undefined && !followAbort(signal, exchange)) return;
      try {
        pool.dispatch(
          {
            path: url.pathname + url.search,
            method: request.method,
            ...headersAndBody(request, exchange),
          },
          exchange,
        );
      } catch (cause) {
        exchange.refused(cause);
      }
    });
  return { http, close: () => pool.destroy() };
}

function headersAndBody(
  { headers, body }: HttpRequest,
  exchange: Exchange,
): Pick<Dispatcher.DispatchOptions, "headers" | "body"> {
  if (body === undefined || body.length <= PIECE_BYTES) return { headers, body: body ?? null };
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const pieces = Readable.from(exchange.piecesOf(bytes), { objectMode: false, highWaterMark: 1 });
  return { headers: { ...headers, "content-length": String(bytes.length) }, body: pieces };
}

/** Replies are parsed by WebAssembly. Where a process may have no memory for it, that is told before the first request. */
function requireWasmMemory(): void {
  void new WebAssembly.Memory({ initial: 1 });
}

declare const WebAssembly: { readonly Memory: new (pages: { readonly initial: number }) => object };

function connector({ ca, proxy }: HttpOptions, { connectMs }: Timeouts): buildConnector.connector {
  if (proxy === undefined) {
    return noticingPlainHttp(trustingConnector({ ca, timeoutMs: connectMs }), Math.min(connectMs, MAX_PROBE_MS));
  }
  const verified = { rejectUnauthorized: true, secureContext: wholeContext({ ca }) } as const;
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
  if (onSecured === undefined) return connect;
  return (target, callback) => {
    connect(target, (...opened) => {
      const [, socket] = opened;
      if (socket instanceof TLSSocket) onSecured(securedConnection(socket));
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

/** A probe takes no longer than this, and no longer than a connection may. */
const MAX_PROBE_MS = 2_000;

/** A handshake that nobody answers may have reached a server that does not speak TLS: it is asked in plain HTTP. */
function noticingPlainHttp(direct: buildConnector.connector, timeoutMs: number): buildConnector.connector {
  return (target, callback) => {
    direct(target, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else if (target.protocol !== "https:" || errorCode(error) !== "UND_ERR_CONNECT_TIMEOUT") callback(error, null);
      else {
        const port = Number(target.port || DEFAULT_PORTS[target.protocol]);
        const answered = (isPlain: boolean): void => callback(isPlain ? noTls(error) : error, null);
        probePlainHttp({ hostname: target.hostname, port, timeoutMs }, answered);
      }
    });
  };
}

function noTls(cause: Error): Error {
  return Object.assign(new Error("plain HTTP is spoken where TLS was expected", { cause }), { code: NO_TLS });
}

function foreignOrigin(url: URL, origin: string): Failure {
  return new Failure("redirect", `refused to send a request to ${url.origin}: it is not ${origin}`, {
    hint: "requests and credentials go to the base URL's origin only",
  });
}

/** How long each part of a request may take, in milliseconds. No wait is unbounded. */
export interface Timeouts {
  /** TCP connection and TLS handshake. */
  readonly connectMs: number;
  /** From the request's last byte to the reply's header. */
  readonly headersMs: number;
  /** Between two pieces of the reply's body. */
  readonly bodyMs: number;
  /** The whole request, waiting for a connection included. */
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 60_000,
  bodyMs: 30_000,
  totalMs: 120_000,
};

/** An idle connection is dropped after this long, before a typical server (5 s and more) drops it under our request. */
const KEEP_ALIVE_MS = 4_000;

/** A reply's body is read up to here and no further. */
export const MAX_REPLY_BYTES: number = 1024 * 1024;

/** A reply's header may not be longer. */
export const MAX_HEADER_BYTES: number = 32 * 1024;
