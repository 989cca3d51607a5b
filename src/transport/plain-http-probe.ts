import { connect } from "node:net";

/** The code of a connection to a server that answers plain HTTP where TLS was expected. */
export const NO_TLS = "ERR_TLS_NOT_SPOKEN";

/**
 * Whether a server answers a request in plain HTTP. A server that waits for the end of a line takes no notice of a TLS
 * handshake, which then only times out. Status 400 proves nothing: servers that do speak TLS answer so to plain HTTP.
 * @param timeoutMs longest silence of the server, in milliseconds
 */
export function probePlainHttp(
  { hostname, port, timeoutMs }: { readonly hostname: string; readonly port: number; readonly timeoutMs: number },
  done: (answersPlainHttp: boolean) => void,
): void {
  const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ""), port });
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
