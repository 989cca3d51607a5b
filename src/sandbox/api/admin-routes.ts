import { type Handler, NOT_FOUND, refusal, type Reply, type Route } from "../sandbox-reply.ts";
import { isJsonObject } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { FaultPlan } from "../faults/fault-plan.ts";
import type { RequestHistory } from "../state/request-history.ts";
import type { ImportProcesses } from "../state/import-processes.ts";
import { jsonCopy, parseJson } from "../../json/parse-json.ts";
import { readFaults } from "../faults/fault-options.ts";
import { type SandboxState } from "../state/sandbox-state.ts";
import type { Tokens } from "./authentication.ts";
import { SUPPLIER_STATUSES } from "../../model/supplier-status.ts";

export interface AdminDependencies {
  readonly state: SandboxState;
  readonly processes: Pick<ImportProcesses, "clear">;
  readonly history: RequestHistory;
  readonly faults: FaultPlan;
  readonly tokens: Tokens;
}

/** The sandbox's own end-points, for tests: not part of the platform, no authentication (docs/sandbox.md, "Admin end-points"). */
export function adminRoutes(dependencies: AdminDependencies): readonly Route[] {
  const { state, processes, history, faults, tokens } = dependencies;
  return [
    adminRoute("GET", "history", ({ query }) => listReply(history.entries(), query.get("format"))),
    adminRoute("GET", "accounts", ({ query }) => {
      const accounts = state
        .accounts()
        .map(({ number, supplier, key, importedAt }) => ({ number, supplier, key, importedAt }));
      return listReply(accounts, query.get("format"));
    }),
    adminRoute("GET", "faults", () => ({ status: 200, body: jsonCopy(faults.options()) })),
    adminRoute("POST", "faults", ({ body }) => {
      try {
        faults.set(readFaults(body === "" ? {} : parseJson(body)));
        return { status: 200, body: jsonCopy(faults.options()) };
      } catch (error) {
        if (error instanceof Failure) return refusal(400, "invalid", [error.message, error.hint].join(" "));
        throw error;
      }
    }),
    adminRoute("GET", "suppliers", () => ({ status: 200, body: jsonCopy(state.snapshot().suppliers) })),
    adminRoute("POST", "suppliers/{code}", ({ params, body }) => setSupplier(state, params["code"] ?? "", body)),
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

/** A JSON array, or one object a line when `format=ndjson` is asked for. */
function listReply(items: readonly object[], format: string | null): Reply {
  if (format !== "ndjson") return { status: 200, body: jsonCopy(items) };
  return {
    status: 200,
    body: items.map((item) => `${JSON.stringify(item)}\n`).join(""),
    headers: { "Content-Type": "application/x-ndjson" },
  };
}

function setSupplier(state: SandboxState, code: string, body: string): Reply {
  if (state.supplierStatus(code) === undefined) return NOT_FOUND;
  const asked = parseJson(body) ?? null;
  const status = SUPPLIER_STATUSES.find((one) => isJsonObject(asked) && one === asked["status"]);
  if (status === undefined)
    return refusal(400, "invalid_choice", `"status" is one of ${SUPPLIER_STATUSES.join(", ")}.`);
  state.setSupplier(code, status);
  return { status: 200, body: { code, status } };
}
