import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import { refusal, type Reply, SERVER_ERROR } from "../sandbox-reply.ts";
import type { FaultOptions } from "./fault-options.ts";

/** Returns HTTP 429 in the form of the Django REST framework, with the configured `Retry-After`. */
export function throttledReply({ retryAfter = 1 }: FaultOptions): Reply {
  const wait =
    typeof retryAfter === "number"
      ? ` Expected available in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`
      : "";
  return { ...refusal(429, "throttled", `Request was throttled.${wait}`), headers: retryHeader(retryAfter) };
}

/** HTTP 429 for the limit on accounts being processed. The published reply has no `Retry-After`. */
export const PROCESSING_CAP_REPLY: Reply = refusal(429, "throttled", "Too many accounts are being processed.");

/** Returns the reply of a platform or of its proxy after an internal error. */
export function serverErrorReply({ errorStatus = 500, retryAfter }: FaultOptions): Reply {
  if (errorStatus === 500) return SERVER_ERROR;
  const headers = errorStatus === 503 ? retryHeader(retryAfter ?? 1) : {};
  return {
    status: errorStatus,
    body: `<html><body><h1>${errorStatus} ${STATUS_TEXT[errorStatus]}</h1></body></html>`,
    headers,
  };
}

const STATUS_TEXT = { 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout" };

function retryHeader(retryAfter: number | string): Readonly<Record<string, string>> {
  return retryAfter === "none" ? {} : { "Retry-After": String(retryAfter) };
}

/** The TCP connections that carry the server's TLS connections. Only a TCP connection can be reset. */
export interface Connections {
  /** Sends a TCP reset on the connection of a request. */
  readonly reset: (request: IncomingMessage) => void;
  /** Sends the status, the headers and half of the body, then resets the connection. */
  readonly cut: (
    request: IncomingMessage,
    response: ServerResponse,
    reply: { readonly status: number; readonly text: string },
  ) => void;
  /** Closes every connection immediately. */
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
