import { type Handler, NOT_FOUND, refusal, type Reply, type Route } from "../sandbox-reply.ts";
import { documentedReply } from "../../contract/operations/documented-reply.ts";
import type { Poll, ReadBack } from "../../contract/operations/operation.ts";
import { fieldAt } from "../../contract/types/field-type.ts";
import { isJsonObject, type JsonObject, valueAt } from "../../json/json-value.ts";
import type { PlatformParts } from "../platform-parts.ts";
import { documentedForm } from "./documented-reply.ts";
import type { ScheduledImport } from "../state/import-processes.ts";
import type { AccountIdentity, ImportedAccount } from "../state/sandbox-state.ts";
import { withValue } from "./workflow-steps.ts";
import { getRoles, type GetRole, pathOnInstance } from "./workflow-roles.ts";

/**
 * Returns the routes of the GET operations in the contract's workflows. Each reply has its values at the paths that the
 * contract declares.
 */
export function workflowReads(platform: PlatformParts): readonly Route[] {
  return getRoles(platform.contract).map((role) => ({
    method: "GET",
    path: pathOnInstance(role),
    kind: "data-import",
    handler: readHandler(role, platform),
  }));
}

function readHandler(role: GetRole, platform: PlatformParts): Handler {
  return ({ authorization, params }) => {
    const refused = platform.authenticate(authorization, "token-only");
    if (refused !== undefined) return refused;
    const key = params[role.key ?? ""] ?? "";
    const { state, processes } = platform;
    const supplier =
      role.supplier === undefined
        ? (state.supplierOf(key) ?? processes.supplierOf(key) ?? "")
        : (params[role.supplier] ?? "");
    const identity = { supplier, key };
    const reply =
      "poll" in role.describedBy
        ? statusReply(role.describedBy.poll, identity, platform)
        : readReply(role.describedBy.readBack, identity, { ...platform, ...role });
    return key === "" ? reply : { ...reply, key };
  };
}

/**
 * Returns the reply to `GET /v2/data-import/accounts/{supplier}/{id}/`, as in the operators' published OpenAPI
 * documents.
 */
function statusReply(poll: Poll, identity: AccountIdentity, platform: PlatformParts): Reply {
  const found = platform.processes.scheduled(identity) ?? finishedProcess(identity, platform);
  if (found === undefined) return refusal(404, "not_found", "The requested resource was not found.");
  const { status, account, at, changedAt } = found;
  const error =
    status === "ERRORED"
      ? { code: "task_failed", detail: "The import ended with an error.", domain: "import_process" }
      : null;
  const event = {
    event: `EVENT_ACCOUNT_IMPORT_PROCESS_${EVENT_NAMES[status]}`,
    occurred_at: isoTime(changedAt),
    data: error,
  };
  const body = { created_at: isoTime(at), modified_at: isoTime(changedAt), latest_event: event };
  const withStatus = withValue(body, poll.status, status);
  const withError = poll.error === undefined ? withStatus : withValue(withStatus, poll.error, error);
  return {
    status: 200,
    body: poll.account === undefined ? withError : withValue(withError, poll.account, account ?? null),
  };
}

const EVENT_NAMES = { PENDING: "CREATED", IN_PROGRESS: "CREATED", PROCESSED: "PROCESSED", ERRORED: "ERRORED" } as const;

/** Returns the state of an existing account whose import has not been scheduled since the sandbox started. */
function finishedProcess({ supplier, key }: AccountIdentity, { state }: PlatformParts): ScheduledImport | undefined {
  const account = state.findByKey(supplier, key);
  if (account === undefined) return undefined;
  const at = Date.parse(account.importedAt);
  return { at, changedAt: at, status: "PROCESSED", account: account.number };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** The name of the reply field that contains the business key. */
const KEY_NAME = "external_account_number";

function hasKey({ operation }: ReadBack): boolean {
  const form = documentedReply(operation, 200)?.body;
  return form !== undefined && fieldAt(form, [KEY_NAME]) !== undefined;
}

/**
 * Returns the reply to a request for `account-transfer-status` or for a list of import processes, as in the operators'
 * OpenAPI documents.
 */
function readReply(readBack: ReadBack, identity: AccountIdentity, context: ReadContext): Reply {
  const { state, processes } = context;
  const place = readBack.account ?? ["kraken_account_number"];
  if (readBack.list !== undefined) {
    const namesSupplier = context.supplier !== undefined;
    if (namesSupplier && state.supplierStatus(identity.supplier) === undefined) return NOT_FOUND;
    const items = state
      .accounts()
      .filter(({ supplier }) => !namesSupplier || supplier === identity.supplier)
      .map(({ key, number, importedAt, payload }): JsonObject => {
        const item = { [KEY_NAME]: key, account_created_at: importedAt, ...comparedValues(readBack, payload) };
        return withValue(item, place, number);
      });
    return { status: 200, body: readBack.list.length === 0 ? items : withValue({}, readBack.list, items) };
  }
  const account = state.findByKey(identity.supplier, identity.key);
  if (account === undefined && processes.staged(identity) === undefined) return NOT_FOUND;
  const status = account === undefined ? "UNKNOWN" : "COMPLETED";
  const compared = account === undefined ? {} : comparedValues(readBack, account.payload);
  const body = { status, ...(hasKey(readBack) && { [KEY_NAME]: identity.key }), ...compared };
  if (account === undefined) return { status: 200, body: withValue(body, place, "") };
  return documentedRead(readBack, account, context)({ status: 200, body });
}

/** Returns a function that converts the reply about an account to the documented form, and adds the account number. */
function documentedRead(
  { operation, account: place = ["kraken_account_number"] }: ReadBack,
  { payload, number }: ImportedAccount,
  { contract, isSingleRequest }: ReadContext,
): (reply: Reply) => Reply {
  const outcomes = [{ status: 200, outcome: "accepted", account: place } as const];
  const inDocumentedForm = documentedForm(contract.document, { ...operation, outcomes });
  return (reply) => {
    const own = isJsonObject(reply.body) ? reply.body : {};
    const named = isSingleRequest ? own : withValue(own, place, number);
    const { body, ...form } = inDocumentedForm({ ...reply, body: named }, [payload], number);
    const hasNumber = valueAt(body, place) !== undefined;
    return { ...form, body: hasNumber || !isJsonObject(body) ? body : withValue(body, place, number) };
  };
}

interface ReadContext extends PlatformParts, Pick<GetRole, "supplier" | "isSingleRequest"> {}

/** Returns the values of an account that the contract compares, at the paths where the contract expects them. */
function comparedValues({ match }: ReadBack, payload: JsonObject): JsonObject {
  let values: JsonObject = {};
  for (const one of match) {
    const value = valueAt(payload, one.payload);
    if (value !== undefined) values = withValue(values, one.reply, value);
  }
  return values;
}
