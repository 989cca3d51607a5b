import {
  type Handler,
  jsonBody,
  NOT_FOUND,
  PARSE_ERROR,
  type PlatformRequest,
  refusal,
  type Reply,
  type Route,
} from "../sandbox-reply.ts";
import { isJsonObject } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { PlatformParts } from "../platform-parts.ts";
import type { SandboxState } from "../state/sandbox-state.ts";
import { jsonCopy } from "../../json/parse-json.ts";
import { readFaults } from "../faults/fault-options.ts";
import { SUPPLIER_STATUSES } from "../../model/supplier-status.ts";

/**
 * Returns the routes of the sandbox's own endpoints for tests. They are not part of the platform (docs/sandbox.md,
 * "Admin endpoints").
 * @param adminToken the token that admin requests send as `Authorization: Token <adminToken>`
 */
export function adminRoutes(platform: PlatformParts, adminToken: string): readonly Route[] {
  return unguardedRoutes(platform).map((route) => ({
    ...route,
    handler: (request) => refuseUnauthorised(request, adminToken) ?? route.handler(request),
  }));
}

/**
 * Accepts requests with the admin token, and requests whose `Origin` is the sandbox itself. Refuses requests from pages
 * of other origins, even if the browser runs on this machine.
 */
function refuseUnauthorised({ authorization, sender }: PlatformRequest, adminToken: string): Reply | undefined {
  if (authorization === `Token ${adminToken}`) return undefined;
  const own = `https://${sender.host}`;
  const isKnownHost = LOOPBACK_HOST.test(sender.host);
  const isSameSite = sender.fetchSite === undefined || sender.fetchSite === "same-origin";
  if (isKnownHost && sender.origin === own && isSameSite) return undefined;
  const detail =
    "Admin requests need the header Authorization: Token <adminToken>. The ready file contains the admin token.";
  return refusal(403, "permission_denied", detail);
}

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

function unguardedRoutes({ state, processes, history, faults, tokens }: PlatformParts): readonly Route[] {
  return [
    adminRoute("GET", "history", ({ query }) => listReply(history.entries(), query.get("format"))),
    adminRoute("GET", "accounts", ({ query }) => {
      const accounts = state
        .accounts()
        .map(({ number, supplier, key, importedAt }) => ({ number, supplier, key, importedAt }));
      return listReply(accounts, query.get("format"));
    }),
    adminRoute("GET", "faults", () => ({ status: 200, body: jsonCopy(faults.options()) })),
    adminRoute("POST", "faults", (request) => {
      try {
        faults.set(readFaults(request.body.length === 0 ? {} : jsonBody(request)));
        return { status: 200, body: jsonCopy(faults.options()) };
      } catch (error) {
        if (error instanceof Failure) return refusal(400, "invalid", [error.message, error.hint].join("; "));
        throw error;
      }
    }),
    adminRoute("GET", "suppliers", () => ({ status: 200, body: jsonCopy(state.snapshot().suppliers) })),
    adminRoute("POST", "suppliers/{code}", (request) => setSupplier(state, request)),
    adminRoute("POST", "tokens/rotate", () => {
      tokens.rotate();
      return EMPTY_SUCCESS;
    }),
    adminRoute("POST", "reset", () => {
      state.reset();
      processes.clear();
      history.clear();
      faults.set({});
      return EMPTY_SUCCESS;
    }),
  ];
}

const EMPTY_SUCCESS: Reply = { status: 200, body: {} };

function adminRoute(method: Route["method"], path: string, handler: Handler): Route {
  return { method, path: `/admin/${path}`, kind: "admin", handler };
}

/** Replies with a list: a JSON array, or NDJSON if the request has `format=ndjson`. */
function listReply(items: readonly object[], format: string | null): Reply {
  if (format !== "ndjson") return { status: 200, body: jsonCopy(items) };
  return {
    status: 200,
    body: items.map((item) => `${JSON.stringify(item)}\n`).join(""),
    headers: { "Content-Type": "application/x-ndjson" },
  };
}

function setSupplier(state: SandboxState, request: PlatformRequest): Reply {
  const code = request.params["code"] ?? "";
  if (state.supplierStatus(code) === undefined) return NOT_FOUND;
  const asked = jsonBody(request);
  if (asked === undefined) return PARSE_ERROR;
  const status = SUPPLIER_STATUSES.find((one) => isJsonObject(asked) && one === asked["status"]);
  if (status === undefined)
    return refusal(400, "invalid_choice", `"status" must be one of ${SUPPLIER_STATUSES.join(", ")}.`);
  state.setSupplier(code, status);
  return { status: 200, body: { code, status } };
}
