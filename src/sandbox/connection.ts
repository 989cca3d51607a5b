import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";

/** The TCP connections under the server's TLS ones; only they can be reset. */
export interface Connections {
  /** Sends a TCP reset on the connection that a request came on. */
  readonly reset: (request: IncomingMessage) => void;
  /** Sends the status, the headers and half of the body; then resets the connection. */
  readonly cut: (
    request: IncomingMessage,
    response: ServerResponse,
    reply: { readonly status: number; readonly text: string },
  ) => void;
  /** Ends every connection at once. */
  readonly destroyAll: () => void;
}

export function trackConnections(server: Server): Connections {
  const sockets = new Map<number, Socket>();
  server.on("connection", (socket: Socket) => {
    const port = socket.remotePort;
    if (port === undefined) return;
    sockets.set(port, socket);
    socket.once("close", () => {
      if (sockets.get(port) === socket) sockets.delete(port);
    });
  });

  const reset = (request: IncomingMessage): void => {
    sockets.get(request.socket.remotePort ?? 0)?.resetAndDestroy();
  };
  return {
    reset,
    cut: (request, response, { status, text }) => {
      const body = Buffer.from(text);
      response.writeHead(status, { "Content-Type": "application/json", "Content-Length": body.length });
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => reset(request));
    },
    destroyAll: () => {
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}
