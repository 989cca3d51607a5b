import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { timestamp } from "../../time/clock.ts";
import type { FaultOptions } from "../faults/fault-options.ts";
import type { PlatformParts } from "../platform-parts.ts";
import { NOT_FOUND, refusal, type Reply } from "../sandbox-reply.ts";
import type { AccountIdentity, ImportedAccount } from "../state/sandbox-state.ts";
import type { PostRole } from "./workflow-roles.ts";

/**
 * Simulates one workflow step for a valid payload.
 * @param wrapped whether the operation wraps the payload, as in the second API generation
 */
export function workflowStepHandler(
  role: PostRole,
  platform: PlatformParts,
  wrapped: boolean,
): (payload: JsonObject, identity: AccountIdentity) => Reply {
  const { state, faults } = platform;
  return (payload, identity) => {
    const present = state.findByKey(identity.supplier, identity.key);
    const isForgetful = faults.options().forgetful === true && role.kind !== "stage";
    if (present !== undefined && !isForgetful) return alreadyImported(role, identity, present);
    if (role.kind === "validate")
      return { status: 200, body: wrapped ? {} : withoutDroppedFields(payload, faults.options()) };
    if (role.kind === "stage") return stageReply(platform, identity, payload);
    if (role.kind === "process") return processReply(role, platform, identity, payload);
    platform.processes.schedule(identity, payload);
    return { status: 201, body: {} };
  };
}

/**
 * Returns the "already imported" reply of either API generation, with the account number at the path that the contract
 * declares.
 */
function alreadyImported(
  { existingAccount, existingCode }: PostRole,
  { key }: AccountIdentity,
  { number }: ImportedAccount,
): Reply {
  const detail = `The account import process with the account number ${key} has already been imported.`;
  const body =
    existingCode === undefined
      ? { external_account_number: key, non_field_errors: [detail] }
      : { non_field_errors: { detail, code: existingCode } };
  return { status: 400, body: withValue(body, existingAccount, number) };
}

/** Removes the fields in `dropFields` at every level of the payload. */
function withoutDroppedFields(payload: JsonValue, options: FaultOptions): JsonValue {
  const dropped = options.dropFields ?? [];
  if (isJsonArray(payload)) return payload.map((item) => withoutDroppedFields(item, options));
  if (!isJsonObject(payload)) return payload;
  const kept = Object.entries(payload).filter(([name]) => !dropped.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutDroppedFields(value, options)]));
}

function stageReply({ processes }: PlatformParts, identity: AccountIdentity, payload: JsonObject): Reply {
  const again = processes.stage(identity, payload);
  const body = { external_account_number: identity.key, import_supplier_code: identity.supplier };
  return { status: again ? 200 : 201, body };
}

function processReply(
  role: PostRole,
  { state, processes, clock }: PlatformParts,
  identity: AccountIdentity,
  asked: JsonObject,
): Reply {
  const payload = processes.staged(identity);
  if (payload === undefined) return NOT_FOUND;
  if (asked["dry_run"] === true) {
    return refusal(400, "400", "Account would successfully import. Rolled back due to Dry Run.");
  }
  const { number } = state.addAccount({ ...identity, payload, importedAt: timestamp(clock) });
  const body = { external_account_number: identity.key, account_number: number };
  return { status: 201, body: withValue(body, role.account, number) };
}

/** Returns a copy of the object with a value at a path of names. Creates missing objects on the path. */
export function withValue(object: JsonObject, [name, ...rest]: AttrPath, value: JsonValue): JsonObject {
  if (name === undefined) return object;
  const below = object[name] ?? null;
  const member = rest.length === 0 ? value : withValue(isJsonObject(below) ? below : {}, rest, value);
  return { ...object, [name]: member };
}
