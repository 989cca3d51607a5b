import type { HttpReply } from "../../src/transport/http.ts";

/** Returns a complete reply with this value as JSON. */
export function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpReply {
  return {
    status,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
    complete: true,
    durationMs: 1,
  };
}
