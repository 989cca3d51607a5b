import { connect } from "node:net";

/** The code of a connection to a server that answers plain HTTP where TLS was expected. */
export const NO_TLS = "ERR_TLS_NOT_SPOKEN";

const MAX_PROBE_MS = 2_000;

/**
 * Whether a server answers a request in plain HTTP. A server that waits for the end of a line takes no notice of a TLS
 * handshake, which then only times out. Status 400 proves nothing: servers that do speak TLS answer so to plain HTTP.
 */
export function answersPlainHttp(hostname: string, port: number): Promise<boolean> {
  const host = hostname.replaceAll(/[[\]]/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isPlain: boolean): void => {
      socket.destroy();
      resolve(isPlain);
    };
    socket.setTimeout(MAX_PROBE_MS, () => end(false));
    socket.once("error", () => end(false));
    socket.once("connect", () => socket.write(`HEAD / HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`));
    socket.once("data", (chunk) => end(/^HTTP\/1\.[01] (?!400)\d{3}/.test(chunk.toString("latin1"))));
    socket.once("close", () => end(false));
  });
}
