import { onTestFinished } from "vitest";
import { type HttpReply, TransportError } from "../../src/transport/http.ts";
import { createHttp, type HttpOptions } from "../../src/transport/http-client.ts";
import { type Action, type ChaosOptions, type ChaosServer, neverAnswer, startChaosServer } from "../chaos-server.ts";

/** Short timeouts for replies that never arrive. A connection may take longer on a busy machine. */
export const SHORT = { connectMs: 10_000, headersMs: 150, bodyMs: 150, totalMs: 20_000 };

interface Scene {
  readonly server: ChaosServer;
  readonly post: (path?: string, signal?: AbortSignal) => Promise<HttpReply | TransportError>;
}

/** Starts a server with the configured faults, and its client. Both are closed after the test. */
export async function scene(
  act: Action | readonly Action[],
  options: ChaosOptions & Partial<HttpOptions> = {},
): Promise<Scene> {
  const actions = typeof act === "function" ? [act] : act;
  const server = await startChaosServer(
    (request) => actions[Math.min(request.number, actions.length) - 1] ?? neverAnswer,
    options,
  );
  const client = createHttp({ origin: server.baseUrl, connections: 1, ca: server.ca, ...options });
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return {
    server,
    post: (path = "data-import/accounts/", signal) =>
      client
        .http({
          method: "POST",
          url: new URL(path, server.baseUrl),
          headers: { "content-type": "application/json" },
          body: '{"name":"Zoë"}',
          ...(signal === undefined ? {} : { signal }),
        })
        .catch((error: unknown) => {
          if (error instanceof TransportError) return error;
          throw error;
        }),
  };
}
