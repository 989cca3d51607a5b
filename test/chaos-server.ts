import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { generate } from "selfsigned";

export interface SeenRequest {
  /** 1-based in order of arrival over all connections. */
  readonly number: number;
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The TCP connection (the connection below TLS if TLS is used). */
  readonly tcp: Socket;
}

/** The reaction of the server to a complete request. */
export type Action = (socket: Socket, request: SeenRequest) => void;

export interface ChaosServer {
  /** `https://localhost:<port>/v1/`, or `http:` without TLS. */
  readonly baseUrl: URL;
  /** Certificate to trust, PEM. */
  readonly ca: string;
  readonly requests: readonly SeenRequest[];
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

export interface ChaosOptions {
  /** Default: true. */
  readonly tls?: boolean;
  /** Name in the certificate. Default: `localhost`. */
  readonly host?: string;
  /** Whether the certificate has expired. Default: false. */
  readonly expired?: boolean;
  /** Whether the server requires a client certificate. Default: false. */
  readonly requiresCertificate?: boolean;
  readonly maxVersion?: "TLSv1.1" | "TLSv1.2" | "TLSv1.3";
  /** Called with the TCP connection before anything is read from it. Returns true to continue as usual. */
  readonly onConnection?: (socket: Socket, connection: number) => boolean;
  /** If false, `requests` stays empty to save memory. Default: true. */
  readonly recordsRequests?: boolean;
  /** Called for every received piece of a request. Returns false to stop reading. */
  readonly onPiece?: (socket: Socket, piece: Piece) => boolean;
}

/** The progress of a request that is being received. */
export interface Piece {
  /** Whether the header is complete. */
  readonly hasHead: boolean;
  /** Received share of the body, 0 to 1. */
  readonly body: number;
  /** The TCP connection (the connection below TLS if TLS is used). */
  readonly tcp: Socket;
}

/** Starts a server on raw sockets. The server can misbehave in a different way for each request. */
export async function startChaosServer(
  act: (request: SeenRequest) => Action,
  options: ChaosOptions = {},
): Promise<ChaosServer> {
  const certificate = await certificateFor(options);
  const requests: SeenRequest[] = [];
  const sockets = new Map<number | undefined, Socket>();
  let connections = 0;
  let seen = 0;

  const serve = (socket: Socket): void => {
    const connection = connections;
    const tcp = sockets.get(socket.remotePort) ?? socket;
    const onPiece = (piece: Omit<Piece, "tcp">): boolean => options.onPiece?.(socket, { ...piece, tcp }) ?? true;
    readRequests(socket, onPiece, (head) => {
      seen += 1;
      const request = { ...head, number: seen, connection, tcp };
      if (options.recordsRequests !== false) requests.push(request);
      act(request)(socket, request);
    });
  };
  const tls = options.tls ?? true;
  const secure = createTlsServer(
    {
      key: certificate.key,
      cert: certificate.cert,
      requestCert: options.requiresCertificate === true,
      ...(options.maxVersion === undefined
        ? {}
        : { minVersion: "TLSv1", maxVersion: options.maxVersion, ciphers: "DEFAULT@SECLEVEL=0" }),
    },
    serve,
  );
  secure.on("tlsClientError", () => undefined);
  const server = createServer((socket) => {
    connections += 1;
    const port = socket.remotePort;
    sockets.set(port, socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(port));
    if (options.onConnection?.(socket, connections) === false) return;
    if (tls) secure.emit("connection", socket);
    else serve(socket);
  });
  const port = await listen(server);
  return {
    baseUrl: new URL(`${tls ? "https" : "http"}://localhost:${port}/v1/`),
    ca: certificate.cert,
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets.values()) socket.destroy();
      }),
  };
}

/** Sends a complete, well-formed reply. The content type is JSON unless `headers` overrides it. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string | number>> = {}): Action {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return raw(`HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n${text}`);
}

/** Sends the text unchanged and keeps the connection open. */
export function raw(text: string): Action {
  return (socket) => void socket.write(text);
}

/** Sends the text unchanged and closes the connection. */
export function rawThenEnd(text: string): Action {
  return (socket) => void socket.end(text);
}

/** Sends the text unchanged and resets the connection. */
export function rawThenReset(text: string): Action {
  return (socket, { tcp }) => void socket.write(text, () => setImmediate(() => tcp.resetAndDestroy()));
}

export const closeSilently: Action = (socket) => void socket.end();

export const resetSilently: Action = (_, { tcp }) => void tcp.resetAndDestroy();

export const neverAnswer: Action = () => undefined;

/** Sends one byte of the text every `everyMs` milliseconds. */
export function drip(text: string, everyMs: number): Action {
  return (socket) => {
    let sent = 0;
    const timer = setInterval(() => {
      if (socket.destroyed || sent === text.length) clearInterval(timer);
      else socket.write(text[sent++] ?? "");
    }, everyMs);
    socket.on("close", () => clearInterval(timer));
  };
}

export function after(ms: number, action: Action): Action {
  return (socket, request) => {
    const forget = (): void => clearTimeout(timer);
    const timer = setTimeout(() => {
      socket.off("close", forget);
      action(socket, request);
    }, ms);
    socket.once("close", forget);
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "localhost", () => {
      const address = server.address();
      resolve(isAddress(address) ? address.port : 0);
    });
  });
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

async function certificateFor(options: ChaosOptions): Promise<{ readonly key: string; readonly cert: string }> {
  const host = options.host ?? "localhost";
  const day = 24 * 60 * 60 * 1000;
  const now = Date.now();
  const pems = await generate([{ name: "commonName", value: host }], {
    keyType: "ec",
    curve: "P-256",
    algorithm: "sha256",
    notBeforeDate: new Date(now - 2 * day),
    notAfterDate: new Date(options.expired === true ? now - day : now + day),
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: host }] },
    ],
  });
  return { key: pems.private, cert: pems.cert };
}

type Head = Omit<SeenRequest, "number" | "connection" | "tcp">;

function readRequests(
  socket: Socket,
  onPiece: (piece: Omit<Piece, "tcp">) => boolean,
  onRequest: (head: Head) => void,
): void {
  let buffered = Buffer.alloc(0);
  let ignored = false;
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    while (!ignored) {
      const headEnd = buffered.indexOf("\r\n\r\n");
      if (headEnd < 0) {
        ignored = !onPiece({ hasHead: false, body: 0 });
        return;
      }
      const [first = "", ...lines] = buffered.subarray(0, headEnd).toString("latin1").split("\r\n");
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
      );
      const length = Number(headers["content-length"] ?? 0);
      const there = Math.min(length, buffered.length - headEnd - 4);
      ignored = !onPiece({ hasHead: true, body: length === 0 ? 1 : there / length });
      if (ignored || there < length) return;
      const end = headEnd + 4 + length;
      const body = buffered.subarray(headEnd + 4, end).toString("utf8");
      buffered = buffered.subarray(end);
      const [method = "", path = ""] = first.split(" ");
      onRequest({ method, path, headers, body });
      if (buffered.length === 0) return;
    }
  });
}
