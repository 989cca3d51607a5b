import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import { getRequestListener } from "@hono/node-server";
import type { Contract } from "../contract/contract.ts";
import type { Clock } from "../time/clock.ts";
import { listenError } from "../files/error-code.ts";
import { countryOf } from "../model/country.ts";
import { Failure } from "../model/failure.ts";
import { systemClock } from "../time/system-clock.ts";
import { adminRoutes } from "./api/admin-routes.ts";
import { createAuthenticate, createTokens } from "./api/authentication.ts";
import { PRODUCTS, SAMPLE_TARIFF } from "./state/product-catalogue.ts";
import { serverCertificate } from "./certificate.ts";
import { trackConnections } from "./faults/broken-replies.ts";
import { dataImportRoutes } from "./api/data-import.ts";
import type { FaultOptions } from "./faults/fault-options.ts";
import { createFaultPlan } from "./faults/fault-plan.ts";
import { graphqlHandler } from "./api/graphql-api.ts";
import { createImportProcesses } from "./state/import-processes.ts";
import {
  type HistoryEntry,
  type SandboxState,
  createRequestHistory,
  createState,
  defaultSuppliers,
} from "./state/sandbox-state.ts";
import { openStateFile } from "./state/state-file.ts";
import { createHttpApp } from "./http-app.ts";
import { createPlatformCheck } from "./judge/platform-rules.ts";
import { readRoutes, SAMPLE_ACCOUNT } from "./api/read-routes.ts";
import { workflowReads } from "./api/workflow-reads.ts";
import type { SupplierStatus } from "../model/supplier-status.ts";

export interface SandboxOptions {
  readonly contract: Contract;
  /** The port to listen on; 0 selects any free port. */
  readonly port: number;
  /** The folder for certificates and keys. They are reused while they are valid. */
  readonly folder: string;
  /** File that stores accounts and suppliers across restarts. */
  readonly dataFile?: string;
  readonly faults: FaultOptions;
  /**
   * Import suppliers by code. Default: the suppliers that the contract enumerates, or `SANDBOX` if it enumerates none.
   * All default suppliers are ongoing.
   */
  readonly suppliers?: Readonly<Record<string, SupplierStatus>>;
  /** The country of the instance, as two capital letters. Default: the contract's setting `region`. */
  readonly region?: string;
  /** The API key that the sandbox accepts. Default: a random key. */
  readonly apiKey?: string;
  /** Maximum size of a request body in bytes. A larger body is refused with HTTP 413. Default: 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Receives one line for every request. */
  readonly log?: (line: string) => void;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
}

/** The URLs, credentials and sample data of a running sandbox. The ready file contains this object. */
export interface SandboxReady {
  /** The base URL, in the form `https://127.0.0.1:PORT/v1/`. */
  readonly baseUrl: string;
  readonly graphqlUrl: string;
  readonly adminUrl: string;
  /** Absolute path of the CA certificate (PEM) that clients must trust. */
  readonly ca: string;
  readonly apiKey: string;
  /** The code of the first import supplier. */
  readonly supplier: string;
  readonly products: readonly string[];
  readonly tariff: { readonly product: string; readonly tariff: string };
  /** The number of an account that exists from the start. */
  readonly account: string;
  /** The token for admin requests, sent as `Authorization: Token <adminToken>`. */
  readonly adminToken: string;
}

export interface Sandbox {
  readonly ready: SandboxReady;
  /** Returns all requests so far in the order of arrival, except admin requests. */
  readonly history: () => readonly HistoryEntry[];
  readonly state: SandboxState;
  /** Replaces the active faults and restarts the count of requests. */
  readonly setFaults: (faults: FaultOptions) => void;
  /** Closes every connection and writes the data file. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a local platform. It serves real HTTPS on 127.0.0.1 with the operations of any contract, the fixed API of the
 * specification, and faults on demand.
 * @throws Failure `storage` if the data file or the folder cannot be used, `config` if the sandbox cannot listen on the
 * port or the region is not a country
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const suppliers = options.suppliers ?? defaultSuppliers(options.contract);
  const stateFile = await openStateFile(options.dataFile, () => state.snapshot());
  const state = createState(suppliers, stateFile.stored, stateFile.touch);
  try {
    const served = await serve(options, state, Object.keys(suppliers)[0] ?? "");
    return { ...served, close: () => served.close().then(stateFile.close) };
  } catch (error) {
    stateFile.release();
    throw error;
  }
}

async function serve(options: SandboxOptions, state: SandboxState, supplier: string): Promise<Sandbox> {
  const { contract, clock = systemClock, apiKey = `sk_sandbox_${randomBytes(12).toString("hex")}` } = options;
  const adminToken = randomBytes(18).toString("base64url");
  const certificate = await serverCertificate(options.folder);
  const history = createRequestHistory();
  const faults = createFaultPlan(options.faults, clock);
  const tokens = createTokens(clock.now);
  const authenticate = createAuthenticate(apiKey, tokens);
  const isSupplier = (code: string): boolean => state.supplierStatus(code) !== undefined;
  const check = createPlatformCheck({ isSupplier, region: regionOf(options) });
  const processes = createImportProcesses(state, faults, clock);
  const platform = { contract, state, processes, history, faults, tokens, authenticate, check, clock };
  const routes = [
    ...dataImportRoutes(platform),
    ...workflowReads(platform),
    ...readRoutes(platform),
    { method: "POST", path: "/v1/graphql/", kind: "read", handler: graphqlHandler(apiKey, platform) } as const,
    ...adminRoutes(platform, adminToken),
  ];

  const server = createServer({ ...SERVER, key: certificate.key, cert: certificate.cert });
  const connections = trackConnections(server);
  const app = createHttpApp(routes, {
    ...platform,
    connections,
    log: options.log ?? (() => undefined),
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
  });
  server.on("request", getRequestListener(app.fetch, { overrideGlobalObjects: false, errorHandler: answerError }));
  const origin = await listen(server, options.port);

  return {
    ready: {
      baseUrl: `${origin}/v1/`,
      graphqlUrl: `${origin}/v1/graphql/`,
      adminUrl: `${origin}/admin/`,
      ca: certificate.caPath,
      apiKey,
      supplier,
      products: PRODUCTS.map(({ code }) => code),
      tariff: SAMPLE_TARIFF,
      account: SAMPLE_ACCOUNT.number,
      adminToken,
    },
    history: history.entries,
    state,
    setFaults: faults.set,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      connections.destroyAll();
      await closed;
    },
  };
}

/**
 * The server keeps idle connections longer than clients do. On a busy machine, it would otherwise close a connection
 * just as a request begins.
 */
const SERVER = { minVersion: "TLSv1.2", keepAliveTimeout: 60_000 } as const;

const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Refuses a request that cannot be parsed, for example because of a malformed `Host`. Writes nothing to stderr. */
function answerError(): Response {
  return new Response(null, { status: 400 });
}

/**
 * Returns the region of the instance. The default is the default value of the contract's setting `region`
 * (`x-rule-settings`).
 * @throws Failure `config` if the region is not a country
 */
function regionOf({ region, contract }: SandboxOptions): string | undefined {
  const used = region ?? contract.ruleDeclarations.settings.get("region")?.default;
  return typeof used === "string" ? countryOf(used, "rules.region") : undefined;
}

async function listen(server: Server, port: number): Promise<string> {
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    throw new Failure("config", `the sandbox cannot listen on 127.0.0.1:${port}: ${listenError(error)}`, {
      hint: "choose another port with --port; 0 selects any free port",
      cause: error,
    });
  }
  const address = server.address();
  return `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}`;
}
