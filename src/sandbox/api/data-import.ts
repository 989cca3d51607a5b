import {
  type Handler,
  invalidPayload,
  jsonBody,
  NOT_FOUND,
  PARSE_ERROR,
  type PlatformRequest,
  refusal,
  type Reply,
  type Route,
} from "../sandbox-reply.ts";
import { hash } from "node:crypto";
import type { Operation } from "../../contract/operations/operation.ts";
import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { timestamp } from "../../time/clock.ts";
import type { Authenticate } from "./authentication.ts";
import { compileJudge, type Judge } from "../judge/judge.ts";
import type { PlatformParts } from "../platform-parts.ts";
import { type AccountIdentity, keyOfAccount, type SandboxState } from "../state/sandbox-state.ts";
import { documentedForm } from "./documented-reply.ts";
import { workflowStepHandler } from "./workflow-steps.ts";
import { pathOnInstance, type PostRole, postRoles } from "./workflow-roles.ts";

/** Applies an operation to a valid payload. */
type PayloadHandler = (payload: JsonObject, identity: AccountIdentity) => Reply;

/**
 * Returns a route for every operation of the contract to which records can be sent. Paths are relative to the root of
 * the instance.
 */
export function dataImportRoutes(platform: PlatformParts): readonly Route[] {
  const roles = postRoles(platform.contract);
  return platform.contract.operations
    .filter(({ body }) => body !== undefined)
    .map((operation) => ({
      method: "POST",
      path: pathOnInstance(operation),
      kind: "data-import",
      isProcessing: roles.get(operation.id)?.kind === "process",
      supplierOf: (request) =>
        supplierOf(
          payloadOf(operation, jsonBody(request) ?? null),
          roles.get(operation.id)?.supplier ?? operation.supplier,
        ),
      handler: dataImportHandler(operation, platform, roles.get(operation.id)),
    }));
}

/**
 * Simulates one POST operation of the contract. Checks authentication, JSON, parameters, import supplier and payload,
 * then applies the effect. The workflows of the contract define the effect. For an operation outside workflows, a word
 * in its path defines the effect: `validate` changes nothing, `notes` adds notes, `account` creates an account, and any
 * other path only accepts the payload. Successful replies have the form that the contract documents, except the reply
 * of a workflow's validation step.
 */
function dataImportHandler(operation: Operation, platform: PlatformParts, role: PostRole | undefined): Handler {
  let judge: Judge | undefined;
  const handlePayload =
    role === undefined
      ? payloadHandlerFor(operation, platform)
      : workflowStepHandler(role, platform, operation.wrap !== undefined);
  const inDocumentedForm = documentedForm(platform.contract.document, operation);
  return (request) => {
    const body = readBody(request, platform.authenticate);
    if ("refused" in body) return body.refused;
    const refusedParameters = refuseParameters(operation, request);
    if (refusedParameters !== undefined) return refusedParameters;
    judge ??= compileJudge(platform.contract.document, operation);
    const payload = payloadOf(operation, body.value);
    const identity = identityOf(payload, { operation, role, processes: platform.processes });
    const accept = (): Reply => {
      const success = handlePayload(payload, identity);
      if (role?.kind === "validate") return success;
      return inDocumentedForm(success, [payload, body.value], numberOf(identity, success.body, platform.state));
    };
    const refused = refuseSupplier(identity.supplier, platform.state) ?? refusePayload(body.value, judge, platform);
    const reply = (role?.hasSeparateValidation === true ? refused && withoutFieldErrors(refused) : refused) ?? accept();
    return identity.key === "" ? reply : { ...reply, key: identity.key };
  };
}

function readBody(
  request: PlatformRequest,
  authenticate: Authenticate,
): { readonly value: JsonValue } | { readonly refused: Reply } {
  const refused = authenticate(request.authorization, "token-only");
  if (refused !== undefined) return { refused };
  if (!/^application\/json\b/i.test(request.contentType)) {
    const detail = `Unsupported media type "${request.contentType}" in request.`;
    return { refused: refusal(415, "unsupported_media_type", detail) };
  }
  const value = jsonBody(request);
  return value === undefined ? { refused: PARSE_ERROR } : { value };
}

/** Refuses a path that still contains a placeholder, and a query that lacks a required parameter. */
function refuseParameters({ parameters = [] }: Operation, { params, query }: PlatformRequest): Reply | undefined {
  if (parameters.some(({ name, in: where }) => where === "path" && params[name] === `{${name}}`)) return NOT_FOUND;
  const missing = parameters.filter(
    ({ name, in: where, required }) => required && where === "query" && !query.has(name),
  );
  if (missing.length === 0) return undefined;
  const errors = missing.map(({ name }) => ({ attr: name, code: "required", detail: "This parameter is required." }));
  return invalidPayload(FAILED_VALIDATION, "The parameters failed validation.", errors);
}

interface RequestedRecord extends Pick<PlatformParts, "processes"> {
  readonly operation: Operation;
  readonly role: PostRole | undefined;
}

/** Returns the record that a request is about. A process request may name a staged record by its key alone. */
function identityOf(payload: JsonObject, { operation, role, processes }: RequestedRecord): AccountIdentity {
  const key = keyAt(role?.key ?? operation.key, payload);
  const supplier = supplierOf(payload, role?.supplier ?? operation.supplier);
  const isByKey = supplier === "" && role?.kind === "process";
  return { supplier: isByKey ? (processes.supplierOf(key) ?? "") : supplier, key };
}

function payloadOf(operation: Operation, body: JsonValue): JsonObject {
  const wrapped = operation.wrap !== undefined && isJsonObject(body) ? body[operation.wrap] : body;
  return isJsonObject(wrapped) ? wrapped : {};
}

function supplierOf(payload: JsonObject, attr: AttrPath | undefined): string {
  const { import_supplier: code, import_supplier_code: other } = payload;
  return textOf((attr === undefined ? undefined : valueAt(payload, attr)) ?? code ?? other);
}

function keyAt(attr: AttrPath | undefined, payload: JsonObject): string {
  return textOf(valueAt(payload, attr ?? ["external_account_number"]));
}

/**
 * Returns the account number of a record. A record without an account gets a number that is derived from its key or, if
 * it has no key, from its content.
 */
function numberOf(identity: AccountIdentity, body: JsonValue | undefined, state: SandboxState): string {
  const { supplier, key } = identity;
  const named = state.findAccount(textOf(valueAt(body, ["account_number"])));
  const identifier = key === "" ? JSON.stringify(body) : keyOfAccount(identity);
  // Twelve digits, because eight are too few to be unique among many records.
  const digits = hash("sha256", identifier).slice(0, 12).toUpperCase();
  return (named ?? state.findByKey(supplier, key))?.number ?? `A-${digits}`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/**
 * Refuses data for a supplier whose migration is not ongoing (API specification 3). Does not refuse an unknown
 * supplier.
 */
function refuseSupplier(code: string, state: SandboxState): Reply | undefined {
  const status = state.supplierStatus(code);
  if (status === undefined || status === "Ongoing") return undefined;
  return invalidPayload(
    "import_supplier_migration_not_ongoing",
    "The migration of this import supplier is not ongoing.",
    [],
  );
}

function refusePayload(body: JsonValue, judge: Judge, { check }: PlatformParts): Reply | undefined {
  const found = judge(body);
  const judged = new Set(found.map((error) => error.attr));
  const errors = [...found, ...check(body).filter((error) => !judged.has(error.attr))];
  if (errors.length === 0) return undefined;
  return invalidPayload(FAILED_VALIDATION, "The payload failed validation.", errors);
}

/**
 * Removes the field errors. The published refusal to schedule an account names no fields, because a separate validation
 * reports the errors.
 */
function withoutFieldErrors(refused: Reply): Reply {
  if (!isJsonObject(refused.body) || refused.body["code"] !== FAILED_VALIDATION) return refused;
  const detail = "Import process validation failed. Please validate the import process to get full details.";
  return { status: 400, body: { code: "import_process_failed_validation", detail, domain: "import_process" } };
}

const FAILED_VALIDATION = "account_failed_validation";

function payloadHandlerFor({ path }: Operation, platform: PlatformParts): PayloadHandler {
  if (/\bvalidate\b/.test(path)) return (payload) => ({ status: 200, body: payload });
  if (/\bnotes\b/.test(path)) return addNotes(platform);
  if (/\baccounts?\b/.test(path)) return importAccount(platform);
  return (payload) => ({ status: 201, body: payload });
}

function importAccount({ state, faults, clock }: PlatformParts): PayloadHandler {
  return (payload, { supplier, key }) => {
    const present = state.findByKey(supplier, key);
    if (present !== undefined && faults.options().forgetful !== true) {
      const detail = "The account has already been imported.";
      const body = { detail, code: "account_already_imported", errors: [], account_number: present.number };
      return { status: 400, body };
    }
    const account = state.addAccount({ supplier, key, payload, importedAt: timestamp(clock) });
    return { status: 201, body: { external_account_number: key, account_number: account.number } };
  };
}

function addNotes({ state }: PlatformParts): PayloadHandler {
  return (payload, { supplier, key }) => {
    const account = state.findByKey(supplier, key);
    if (account === undefined) return NOT_FOUND;
    const known = new Set(account.notes);
    const added: string[] = [];
    const given = payload["notes"];
    const notes = isJsonArray(given) ? given.filter(isJsonObject) : [];
    const results = notes.map((note) => {
      const fingerprint = noteHash(note);
      if (known.has(fingerprint)) return { ...note, status: "NOTE_ALREADY_EXISTS" };
      known.add(fingerprint);
      added.push(fingerprint);
      return { ...note, status: "NOTE_CREATION_SUCCESS" };
    });
    state.addNotes(account.number, added);
    return { status: 201, body: results };
  };
}

/**
 * Returns the hash of a note. According to the operators' API guide, notes with the same body and the same `created_at`
 * are the same note.
 */
function noteHash({ body = null, created_at = null }: JsonObject): string {
  return hash("sha256", JSON.stringify([body, created_at])).slice(0, 16);
}
