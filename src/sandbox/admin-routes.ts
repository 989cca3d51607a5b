import { isJsonObject } from "../model/json.ts";
import { Failure } from "../model/failure.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { History } from "./history.ts";
import type { ImportProcesses } from "./import-processes.ts";
import { jsonCopy, parseJson } from "./json-text.ts";
import type { Route } from "./platform-app.ts";
import { readFaults } from "./read-faults.ts";
import { type Handler, NOT_FOUND, refusal, type Reply } from "./reply.ts";
import { type SandboxState, SUPPLIER_STATUSES } from "./state.ts";
import type { Tokens } from "./tokens.ts";

export interface AdminParts {
  readonly state: SandboxState;
  readonly processes: Pick<ImportProcesses, "clear">;
  readonly history: History;
  readonly faults: FaultPlan;
  readonly tokens: Tokens;
}

/** The sandbox's own end-points, for tests: not part of the platform, no authentication (docs/sandbox.md, "Admin end-points"). */
export function adminRoutes(parts: AdminParts): readonly Route[] {
  const { state, processes, history, faults, tokens } = parts;
  return [
    admin("GET", "history", ({ query }) => listing(history.entries(), query.get("format"))),
    admin("GET", "accounts", ({ query }) => {
      const accounts = state
        .accounts()
        .map(({ number, supplier, key, importedAt }) => ({ number, supplier, key, importedAt }));
      return listing(accounts, query.get("format"));
    }),
    admin("GET", "faults", () => ({ status: 200, body: jsonCopy(faults.options()) })),
    admin("POST", "faults", ({ body }) => {
      try {
        faults.set(readFaults(body === "" ? {} : parseJson(body)));
        return { status: 200, body: jsonCopy(faults.options()) };
      } catch (error) {
        if (error instanceof Failure) return refusal(400, "invalid", [error.message, error.hint].join(" "));
        throw error;
      }
    }),
    admin("GET", "suppliers", () => ({ status: 200, body: jsonCopy(state.snapshot().suppliers) })),
    admin("POST", "suppliers/{code}", ({ params, body }) => setSupplier(state, params["code"] ?? "", body)),
    admin("POST", "tokens/rotate", () => {
      tokens.rotate();
      return DONE;
    }),
    admin("POST", "reset", () => {
      state.reset();
      processes.clear();
      history.clear();
      faults.set({});
      return DONE;
    }),
  ];
}

const DONE: Reply = { status: 200, body: {} };

function admin(method: Route["method"], path: string, handler: Handler): Route {
  return { method, path: `/admin/${path}`, kind: "admin", handler };
}

/** A JSON array, or one object a line when `format=ndjson` is asked for. */
function listing(items: readonly object[], format: string | null): Reply {
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
