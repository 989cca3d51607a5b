import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../../json/json-value.ts";
import type { Operation, DocumentedReply, OutcomeRule, PlainOperation } from "./operation.ts";
import { fieldAt, type FieldType, isNumeric, isOfKind, type ListType, type ObjectType } from "../types/field-type.ts";
import { KIND_NAMES } from "../types/schema-keywords.ts";
import { keyCandidate } from "./find-operation.ts";

/** Default paths of the account number in replies. Different versions of the platform use different names. */
export const ACCOUNT_FIELDS: readonly AttrPath[] = [["account_number"], ["kraken_account_number"], ["number"]];

type RepliesOf = Pick<PlainOperation, "outcomes"> & Partial<PlainOperation>;

/**
 * Returns the contract's documentation of a reply with this status below 300. An entry for the status takes precedence
 * over an entry for its range, which takes precedence over `default`. A status that only `x-migrate-outcomes` names
 * counts as documented without a body. If the contract documents no status below 300, every status counts as documented
 * without a body. Returns undefined for any other status.
 */
export function documentedReply({ replies = [], outcomes }: RepliesOf, status: number): DocumentedReply | undefined {
  for (const name of [status, "2xx", "default"]) {
    const documented = replies.find((reply) => reply.status === name);
    if (documented !== undefined) return documented;
  }
  const named = outcomes.filter((rule) => isSuccess(rule.status));
  const isKnown =
    named.some((rule) => rule.status === status || rule.status === "2xx") ||
    (named.length === 0 && replies.length === 0);
  return isKnown ? { status, mediaTypes: [], body: undefined } : undefined;
}

/**
 * Returns a short reason why a body does not have the documented form, or undefined if it does. Checks required
 * members, the kinds of values, and empty text, but no other constraints: choices and lengths change often, and such a
 * change must not turn a created record into an `ambiguous` record. An optional member may be null.
 */
export function replyMismatch(type: FieldType, body: unknown): string | undefined {
  const found = mismatchOf(type, body, 0);
  return found && `${nameOf(found.path)} ${found.what}`;
}

/** A difference from the documented form, and its place in the value. */
interface Mismatch {
  readonly path: AttrPath;
  readonly what: string;
}

function mismatchOf(type: FieldType, value: unknown, depth: number): Mismatch | undefined {
  if (type.kind === "any" || depth > MAX_DEPTH) return undefined;
  if (type.untyped === true && !isOfKind(type.kind, value)) return undefined;
  if (value === null) return type.nullable ? undefined : mismatch("is null");
  if (type.kind === "union") return unionMismatch(type.options, value, depth);
  if (type.kind === "object") {
    return isJsonObject(value) ? memberMismatch(type, value, depth + 1) : mismatch("is not an object");
  }
  return type.kind === "list" ? itemMismatch(type, value, depth + 1) : scalarMismatch(type, value);
}

/** Values at deeper levels are not checked. */
const MAX_DEPTH = 32;

function mismatch(what: string): Mismatch {
  return { path: [], what };
}

function scalarMismatch(type: ScalarType, value: unknown): Mismatch | undefined {
  // Serialisers write decimals and integers as text or as numbers.
  const isOfType = isNumeric(type) ? typeof value !== "boolean" : isOfKind(type.kind, value);
  if (typeof value === "object" || !isOfType) return mismatch(`is not ${SCALAR_NAMES[type.kind]}`);
  return type.kind === "text" && !type.allowBlank && value === "" ? mismatch("is blank") : undefined;
}

function itemMismatch({ items }: ListType, value: unknown, depth: number): Mismatch | undefined {
  if (!isJsonArray(value)) return mismatch("is not a list");
  for (const [index, item] of value.entries()) {
    const found = mismatchOf(items, item, depth);
    if (found !== undefined) return { path: [index, ...found.path], what: found.what };
  }
  return undefined;
}

function unionMismatch(options: readonly FieldType[], value: unknown, depth: number): Mismatch | undefined {
  const mismatches = options.map((option) => mismatchOf(option, value, depth));
  return mismatches.includes(undefined) ? undefined : mismatches[0];
}

function memberMismatch(type: ObjectType, value: JsonObject, depth: number): Mismatch | undefined {
  for (const { name, required, type: member } of type.properties.values()) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined && required) return { path: [name], what: "is missing" };
    if (given === undefined || (given === null && !required)) continue;
    const found = mismatchOf(member, given, depth);
    if (found !== undefined) return { path: [name, ...found.path], what: found.what };
  }
  return undefined;
}

function nameOf(path: AttrPath): string {
  return path.length === 0 ? "the body" : `"${formatAttr(path)}"`;
}

type ScalarType = Exclude<FieldType, { kind: "any" | "object" | "list" | "union" }>;

const SCALAR_NAMES: Readonly<Record<ScalarType["kind"], string>> = {
  ...KIND_NAMES,
  datetime: "a date and time",
  choice: "one of the choices",
};

/**
 * Whether the contract defines how a reply shows that a record was accepted. Any of these is sufficient: a documented
 * reply contains the account number or the business key, a rule of `x-migrate-outcomes` requires a member (`has`), the
 * items of a reply have statuses (`x-migrate-items`), or the result is polled (`x-migrate-poll`). For a workflow, this
 * applies to the last step.
 */
export function documentsAcceptance({ steps, ...alone }: Operation): boolean {
  const last = steps.at(-1);
  if (last?.poll !== undefined) return true;
  const { replies, outcomes, items = [] } = last?.operation ?? alone;
  const successes = outcomes.filter(({ outcome, status }) => outcome === "accepted" && isSuccess(status));
  if (items.length > 0 || successes.some(({ has }) => has !== undefined)) return true;
  const key = alone.key ?? keyCandidate(alone);
  const places = [...successes.map(({ account }) => account), ...ACCOUNT_FIELDS, key].filter((at) => at !== undefined);
  return replies.some(({ body }) => body !== undefined && places.some((at) => fieldAt(body, at) !== undefined));
}

/**
 * The finding for an operation for which `documentsAcceptance` returns false. The statement is also true if
 * `x-migrate-outcomes` names the status of an accepted record, but no member that the reply must contain (`has`).
 */
export const ACCEPTANCE_UNKNOWN: string =
  "no documented reply with a status below 300 contains the account number or the business key, " +
  "so every documented success reply counts as acceptance";

function isSuccess(status: OutcomeRule["status"]): boolean {
  return status === "2xx" || (typeof status === "number" && status < 300);
}
