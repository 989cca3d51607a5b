import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { afterEach } from "vitest";
import type { Contract } from "../../src/contract/contract.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/start-sandbox.ts";

/** The untyped result of `JSON.parse`. */
export type Parsed = ReturnType<JSON["parse"]>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body, or undefined if it is not JSON. */
  readonly json: Parsed;
}

export interface Client {
  readonly sandbox: Sandbox;
  readonly folder: string;
  /** The headers of an admin request. */
  readonly admin: Record<string, string>;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  readonly call: (
    method: string,
    path: string,
    body?: string | Buffer,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
}

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/**
 * Starts a sandbox on a free port. Requests carry its API key unless their headers set `authorization` ("" sends none).
 */
export async function connect(options: Partial<SandboxOptions> = {}): Promise<Client> {
  const folder = options.folder ?? temporaryFolder();
  const sandbox = await startSandbox({ contract: CONTRACT, region: "GB", port: 0, faults: {}, ...options, folder });
  open.unshift(() => sandbox.close());
  const ca = await readFile(sandbox.ready.ca, "utf8");

  const call: Client["call"] = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const all: Record<string, string> = {
        authorization: `Token ${sandbox.ready.apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      };
      const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
      const outgoing = request(
        new URL(path, sandbox.ready.baseUrl),
        { method, headers: sent, ca, agent: false, servername: "localhost" },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
          incoming.on("error", reject);
          incoming.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            const isJson = incoming.headers["content-type"]?.startsWith("application/json") ?? false;
            const json: unknown = isJson ? JSON.parse(text) : undefined;
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });

  return {
    sandbox,
    folder,
    admin: { authorization: `Token ${sandbox.ready.adminToken}` },
    call,
    get: (path, headers) => call("GET", path, undefined, headers),
    post: (path, body, headers) => call("POST", path, JSON.stringify(body), headers),
  };
}

const text = { type: "string", maxLength: 32 };

/** A small contract: an account with customers and a tariff, its validation, notes, and an unrelated operation. */
const DOCUMENT: JsonObject = {
  openapi: "3.0.3",
  info: { title: "Small", version: "1" },
  paths: {
    "/data-import/accounts/": post("Account"),
    "/data-import/accounts/validate/": post("Account"),
    "/data-import/notes/": post("Notes"),
    "/v2/data-import/statements/": post("Statement"),
  },
  components: {
    schemas: {
      Account: {
        type: "object",
        required: ["external_account_number", "import_supplier"],
        properties: {
          external_account_number: text,
          import_supplier: text,
          billing_postcode: text,
          customers: { type: "array", items: { $ref: "#/components/schemas/Customer" } },
          tariff_code: text,
          product_code: text,
        },
      },
      Customer: { type: "object", required: ["family_name"], properties: { family_name: text, mobile: text } },
      Notes: {
        type: "object",
        required: ["import_supplier", "external_account_number", "notes"],
        properties: {
          import_supplier: text,
          external_account_number: text,
          notes: {
            type: "array",
            minItems: 1,
            items: {
              type: "object",
              required: ["body"],
              properties: { body: { type: "string" }, created_at: { type: "string", format: "date-time" } },
            },
          },
        },
      },
      Statement: { type: "object", required: ["import_supplier"], properties: { import_supplier: text } },
    },
  },
};

function post(schema: string): JsonObject {
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } };
  return {
    post: {
      requestBody: { required: true, content },
      responses: { "200": { description: "" }, "201": { description: "" } },
    },
  };
}

const ANY = { kind: "any", nullable: true, deprecated: false, validators: [] } as const;

const OPERATION = { method: "POST", body: ANY, dedupesByKey: true, replies: [], outcomes: [], steps: [], readBack: [] };

const OPERATIONS: readonly Operation[] = [
  { ...OPERATION, id: "import-account", path: "/data-import/accounts/", key: ["external_account_number"] },
  { ...OPERATION, id: "validate-account", path: "/data-import/accounts/validate/" },
  { ...OPERATION, id: "create-notes", path: "/data-import/notes/" },
  { ...OPERATION, id: "create-statement", path: "/v2/data-import/statements/" },
];

export const CONTRACT: Contract = {
  title: "Small",
  version: "1",
  document: DOCUMENT,
  operations: OPERATIONS,
  ruleDeclarations: { values: new Map(), settings: new Map(), undecided: new Map(), partial: new Set() },
  findings: [],
};

export function account(key: string, more: JsonObject = {}): JsonObject {
  return { external_account_number: key, import_supplier: "SANDBOX", ...more };
}

export const ACCOUNTS = "data-import/accounts/";
