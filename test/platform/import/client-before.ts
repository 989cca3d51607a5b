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

/** The real client of the data-import API, before a server that does as it is told. */
export interface ClientBefore {
  readonly server: ChaosServer;
  readonly send: (payload?: JsonObject) => Promise<RequestResult>;
  readonly close: () => Promise<void>;
}

export interface BeforeOptions extends ChaosOptions, Partial<Omit<HttpOptions, "proxy">> {
  /** Where the client finds the server; default: where it is. */
  readonly by?: (server: URL) => URL | Promise<URL>;
  /** With an API key the server is asked for tokens. */
  readonly apiKey?: string;
}

export async function clientBefore(
  act: (request: SeenRequest) => Action,
  { by = (server) => server, apiKey, ...options }: BeforeOptions = {},
): Promise<ClientBefore> {
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
