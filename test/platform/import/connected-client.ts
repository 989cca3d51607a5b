import type { JsonObject } from "../../../src/json/json-value.ts";
import { createAuthorisation } from "../../../src/platform/auth/create-authorisation.ts";
import { createImportClient } from "../../../src/platform/import/import-client.ts";
import type { RequestResult } from "../../../src/platform/import/classified-request.ts";
import { createHttp, type HttpOptions } from "../../../src/transport/http-client.ts";
import {
  type Action,
  type ChaosOptions,
  type ChaosServer,
  type SeenRequest,
  startChaosServer,
} from "../../chaos-server.ts";

/** The real client of the data-import API, connected to a server with configurable faults. */
export interface ConnectedClient {
  readonly server: ChaosServer;
  readonly send: (payload?: JsonObject) => Promise<RequestResult>;
  readonly close: () => Promise<void>;
}

export interface ConnectedClientOptions extends ChaosOptions, Partial<Omit<HttpOptions, "proxy">> {
  /** The address that the client uses for the server; default: its real address. */
  readonly by?: (server: URL) => URL | Promise<URL>;
  /** With an API key, the client requests tokens from the server. */
  readonly apiKey?: string;
}

export async function connectClient(
  act: (request: SeenRequest) => Action,
  { by = (server) => server, apiKey, ...options }: ConnectedClientOptions = {},
): Promise<ConnectedClient> {
  const server = await startChaosServer(act, options);
  const baseUrl = await by(server.baseUrl);
  const client = createHttp({ connections: 4, ca: server.ca, ...options, origin: baseUrl });
  const { http } = client;
  const clock = { now: Date.now, monotonic: () => performance.now() };
  const credentials =
    apiKey === undefined ? ({ kind: "token", token: "t" } as const) : ({ kind: "api-key", apiKey } as const);
  const authorisation = createAuthorisation({ http, baseUrl, credentials, clock });
  const operation = { path: "/data-import/accounts/", outcomes: [] };
  const { send } = createImportClient({ http, baseUrl, authorisation, operation, userAgent: "test", clock });
  const { signal } = new AbortController();
  return {
    server,
    send: (payload = { external_account_number: "A" }) => send(payload, signal),
    async close() {
      await client.close();
      await server.close();
    },
  };
}
