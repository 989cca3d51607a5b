import type { Contract } from "../contract/contract.ts";
import type { Poll, ReadBack } from "../contract/workflow.ts";
import type { JsonObject } from "../model/json.ts";
import type { Authenticate } from "./authentication.ts";
import type { ProcessIdentity, Scheduled } from "./import-processes.ts";
import type { Route } from "./platform-app.ts";
import { type Handler, NOT_FOUND, type Reply, refusal } from "./reply.ts";
import type { SandboxState } from "./state.ts";
import { withValue, type WorkflowParts } from "./workflow-acts.ts";
import { getRoles, type GetRole } from "./workflow-roles.ts";

export interface WorkflowReadParts extends Pick<WorkflowParts, "processes"> {
  readonly contract: Contract;
  readonly state: Pick<SandboxState, "accounts" | "findByKey" | "supplierStatus">;
  readonly authenticate: Authenticate;
}

/** The GET operations that the contract's workflows ask, with their replies in the places where the contract looks. */
export function workflowReads(parts: WorkflowReadParts): readonly Route[] {
  return getRoles(parts.contract).map((role) => ({
    method: "GET",
    path: /^\/v\d+\//.test(role.path) ? role.path : `/v1${role.path}`,
    kind: "data-import",
    handler: readHandler(role, parts),
  }));
}

function readHandler(role: GetRole, parts: WorkflowReadParts): Handler {
  return ({ authorization, params }) => {
    const refused = parts.authenticate(authorization, "token-only");
    if (refused !== undefined) return refused;
    const supplier = params[role.supplier ?? ""] ?? "";
    const key = params[role.key ?? ""] ?? "";
    const identity = { supplier, key };
    const reply =
      "poll" in role.tells
        ? statusReply(role.tells.poll, identity, parts)
        : readReply(role.tells.readBack, identity, parts);
    return key === "" ? reply : { ...reply, key };
  };
}

/** PLATFORM 2.16. */
function statusReply(poll: Poll, identity: ProcessIdentity, parts: WorkflowReadParts): Reply {
  const found = parts.processes.scheduled(identity) ?? done(identity, parts);
  if (found === undefined) return refusal(404, "not_found", "The requested resource was not found.");
  const { status, account, at, changedAt } = found;
  const error =
    status === "ERRORED"
      ? { code: "task_failed", detail: "The import ended with an error.", domain: "import_process" }
      : null;
  const event = { event: `EVENT_ACCOUNT_IMPORT_PROCESS_${EVENTS[status]}`, occurred_at: stamp(changedAt), data: error };
  const body = { created_at: stamp(at), modified_at: stamp(changedAt), latest_event: event };
  const withStatus = withValue(body, poll.status, status);
  const withError = poll.error === undefined ? withStatus : withValue(withStatus, poll.error, error);
  return {
    status: 200,
    body: poll.account === undefined ? withError : withValue(withError, poll.account, account ?? null),
  };
}

const EVENTS = { PENDING: "CREATED", IN_PROGRESS: "CREATED", PROCESSED: "PROCESSED", ERRORED: "ERRORED" } as const;

/** An account that was made in another way, or before a restart. */
function done({ supplier, key }: ProcessIdentity, { state }: WorkflowReadParts): Scheduled | undefined {
  const account = state.findByKey(supplier, key);
  if (account === undefined) return undefined;
  const at = Date.parse(account.importedAt);
  return { at, changedAt: at, status: "PROCESSED", account: account.number };
}

function stamp(at: number): string {
  return new Date(at).toISOString();
}

/** PLATFORM 2.4 and 2.5. */
function readReply(readBack: ReadBack, identity: ProcessIdentity, parts: WorkflowReadParts): Reply {
  const { state, processes } = parts;
  const place = readBack.account ?? ["kraken_account_number"];
  if (readBack.list !== undefined) {
    if (state.supplierStatus(identity.supplier) === undefined) return NOT_FOUND;
    const items = state
      .accounts()
      .filter(({ supplier }) => supplier === identity.supplier)
      .map(({ key, number, importedAt }): JsonObject =>
        withValue({ external_account_number: key, account_created_at: importedAt }, place, number),
      );
    return { status: 200, body: readBack.list.length === 0 ? items : withValue({}, readBack.list, items) };
  }
  const account = state.findByKey(identity.supplier, identity.key);
  if (account === undefined && processes.staged(identity) === undefined) return NOT_FOUND;
  const status = account === undefined ? "UNKNOWN" : "COMPLETED";
  return { status: 200, body: withValue({ status }, place, account?.number ?? "") };
}
