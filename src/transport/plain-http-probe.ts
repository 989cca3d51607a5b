import { connect } from "node:net";

/** The error code for a server that uses plain HTTP instead of TLS. */
export const NO_TLS = "ERR_TLS_NOT_SPOKEN";

interface Probe {
  readonly hostname: string;
  readonly port: number;
  /** Maximum time without data from the server, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Tests whether a server answers a plain HTTP request. A plain HTTP server waits for a line ending and ignores a TLS
 * handshake, which then times out. Status 400 proves nothing, because TLS servers also send it in reply to plain HTTP.
 */
export function probePlainHttp(
  { hostname, port, timeoutMs, signal }: Probe,
  done: (answersPlainHttp: boolean) => void,
): void {
  const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ""), port, signal });
  let isPlain = false;
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.once("error", () => socket.destroy());
  socket.once("connect", () => socket.write(`HEAD / HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`));
  socket.once("data", (chunk) => {
    isPlain = /^HTTP\/1\.[01] (?!400)\d{3}/.test(chunk.toString("latin1"));
    socket.destroy();
  });
  socket.once("close", () => done(isPlain));
}
