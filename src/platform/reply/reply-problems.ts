import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberAt,
  valueAt,
} from "../../json/json-value.ts";
import type { Operation, ItemRule } from "../../contract/operations/operation.ts";
import { type FieldType, mayBeObject } from "../../contract/types/field-type.ts";
import { type AttrPath, formatAttr, NON_FIELD_ERRORS } from "../../json/attr.ts";
import type { PlatformProblem } from "../../model/problem.ts";
import { cleanText, codeText } from "./reply-body.ts";

/** The code of a problem that the platform describes only in text. */
export const UNSPECIFIED = "unspecified";

/** The code of the single problem for a body that names no problems: a web page, an empty body, other JSON. */
export const UNREADABLE = "unreadable_reply";

/** Maximum number of problems per reply. Further problems add no information. */
const MAX_PROBLEMS = 1_000;
const MAX_DEPTH = 32;
const MAX_DETAIL = 500;
const MAX_ATTR = 300;
const MAX_CODE = 100;

/**
 * Returns the problems in an error body of any known form: the platform's own (specification 7.2), the Django REST
 * framework's nested dictionaries and lists, FastAPI's list of located messages, or a bare `detail`, `error_detail` or
 * `error`. The result is never empty.
 * The body is untrusted: counts and lengths are limited, control characters are removed, and no decision depends on the
 * text of a `detail`.
 * @param wrap the field that wraps the payload in the request; attrs are returned without it
 * @param http the status of the reply
 */
export function replyProblems(body: unknown, wrap?: string, http?: number): readonly PlatformProblem[] {
  const found: PlatformProblem[] = [];
  const add = (path: AttrPath, code: unknown, detail: unknown): void => {
    if (found.length < MAX_PROBLEMS) found.push(problem(unwrapped(path, wrap), code, detail));
  };
  readBody(body, add);
  if (found.length === 0 && isJsonObject(body) && typeof body["message"] === "string") {
    add([], body["code"], body["message"]);
  }
  if (found.length === 0)
    add([], UNREADABLE, `${http === undefined ? "a reply" : `HTTP ${http}`} without a readable reason`);
  return found;
}

/**
 * Returns the problems of a rejected item: its own `errors` or `error`, with the attrs of the fields inside the item,
 * or else one problem for the whole item.
 */
function problemsOfItem(
  path: AttrPath,
  status: string,
  item: JsonObject,
  wrap: string | undefined,
): readonly PlatformProblem[] {
  const found: PlatformProblem[] = [];
  const add: Add = (inner, code, detail) => {
    found.push(problem(attrInItem(path, inner, wrap), codeText(code) ?? status, detail));
  };
  const { errors, error } = item;
  if (isJsonArray(errors)) readErrors(errors, add);
  else if (isJsonObject(errors)) walk(errors, [], add);
  else if (isJsonObject(error)) walk(error, [], add);
  if (found.length > 0) return found;
  return [problem(formatAttr(path), codeText(item["code"]) ?? status, sentenceIn(item) ?? item["message"])];
}

/** Returns the attr of a field in an item. Some platforms name the field by its path in the whole payload. */
function attrInItem(path: AttrPath, inner: AttrPath, wrap: string | undefined): string {
  const item = formatAttr(path);
  if (inner.length === 0) return item;
  const attr = unwrapped(inner, wrap);
  return attr === item || attr.startsWith(`${item}.`) ? attr : `${item}.${inner.join(".")}`;
}

type Add = (path: AttrPath, code: unknown, detail: unknown) => void;

function readBody(body: unknown, add: Add): void {
  const errors = memberAt(body, "errors");
  if (isJsonArray(errors) && errors.length > 0) readErrors(errors, add);
  else if (isJsonObject(errors)) walk(errors, [], add);
  else if (!isJsonObject(body) || !readSummary(body, add)) walk(body, [], add);
}

/** Reads `errors: [{ detail, code, attr }]`, as in the specification. */
function readErrors(errors: readonly unknown[], add: Add): void {
  for (const error of errors.slice(0, MAX_PROBLEMS)) {
    if (isLocated(error)) addLocated(error, add);
    else if (isJsonObject(error)) add(attrOf(error["attr"]), error["code"], error["detail"] ?? error["message"]);
    else if (typeof error === "string") add([], undefined, error);
  }
}

/** Reads one message for the whole reply. Returns false if the body has no message. */
function readSummary(body: JsonObject, add: Add): boolean {
  const detail = sentenceIn(body);
  if (detail === undefined) return false;
  add([], body["code"] ?? body["status"], detail);
  return true;
}

function sentenceIn(body: JsonObject): unknown {
  return [body["detail"], body["error_detail"], body["error"]].find((text) => typeof text === "string");
}

/**
 * Reads nested dictionaries that map names to lists of messages. List items appear under their index: as a key, or by
 * position in a list whose valid items are `{}`. Text outside a list is an echo of the input, not a message.
 */
function walk(node: unknown, path: AttrPath, add: Add, depth = 0): void {
  if (depth > MAX_DEPTH) return;
  if (isJsonArray(node)) {
    for (const [index, item] of node.slice(0, MAX_PROBLEMS).entries()) {
      if (typeof item === "string") add(path, undefined, item);
      else if (!addMessage(item, path, add)) walk(item, [...path, index], add, depth + 1);
    }
  } else if (isJsonObject(node) && !addMessage(node, path, add)) {
    for (const name of Object.keys(node).slice(0, MAX_PROBLEMS)) {
      walk(node[name], [...path, name.slice(0, MAX_ATTR + 1)], add, depth + 1);
    }
  }
}

/** Returns false if the node is not a message. */
function addMessage(node: unknown, path: AttrPath, add: Add): boolean {
  if (isLocated(node)) addLocated(node, add);
  else if (isMessage(node)) add(path, node["code"], node["detail"] ?? node["message"]);
  else return false;
  return true;
}

/** An error as FastAPI and Pydantic describe it: `{ loc: ["body", "customers", 0, "mobile"], msg, type }`. */
interface LocatedError extends JsonObject {
  readonly loc: readonly JsonValue[];
  readonly msg: string;
}

function isLocated(node: unknown): node is LocatedError {
  return isJsonObject(node) && isJsonArray(node["loc"]) && typeof node["msg"] === "string";
}

function addLocated({ loc, msg, type }: LocatedError, add: Add): void {
  const [part, ...rest] = attrOf(loc);
  const isParameter = typeof part === "string" && PARAMETER_PARTS.has(part) && rest.length > 0;
  if (part === "body") add(rest, type, msg);
  else add(isParameter ? ["parameters", ...rest] : attrOf(loc), type, msg);
}

/** The parts of a request, other than its body, with which FastAPI begins the path of an error. */
const PARAMETER_PARTS: ReadonlySet<string> = new Set(["path", "query", "header"]);

function isMessage(node: unknown): node is JsonObject {
  if (!isJsonObject(node)) return false;
  return (
    typeof node["detail"] === "string" || (typeof node["message"] === "string" && codeText(node["code"]) !== undefined)
  );
}

/** Whether the object describes an error, so that its `code` is the code of the error. */
export function describesError(node: JsonValue | undefined): boolean {
  if (!isJsonObject(node)) return false;
  const { errors } = node;
  return isMessage(node) || sentenceIn(node) !== undefined || (isJsonArray(errors) && errors.length > 0);
}

function attrOf(attr: unknown): AttrPath {
  if (typeof attr === "string" && attr !== "") return [attr];
  if (isJsonArray(attr)) return attr.filter((part) => typeof part === "string" || typeof part === "number");
  return [];
}

function unwrapped(path: AttrPath, wrap: string | undefined): string {
  const attr = path.length === 0 ? NON_FIELD_ERRORS : path.join(".");
  if (wrap === undefined) return attr;
  if (attr === wrap) return NON_FIELD_ERRORS;
  return attr.startsWith(`${wrap}.`) ? attr.slice(wrap.length + 1) : attr;
}

function problem(attr: string, code: unknown, detail: unknown): PlatformProblem {
  return {
    attr: cleanText(attr, MAX_ATTR) || NON_FIELD_ERRORS,
    severity: "error",
    by: "platform",
    code: (isHttpStatus(code) ? "" : cleanText(codeText(code) ?? "", MAX_CODE)) || UNSPECIFIED,
    detail: typeof detail === "string" ? cleanText(detail, MAX_DETAIL) : "",
  };
}

/** Some platforms repeat the status of the reply as the code of its error. */
function isHttpStatus(code: unknown): boolean {
  return typeof code === "number" && code >= 100 && code < 600;
}

/** The parts of an operation that are needed to find rejected items in its replies. */
export interface ItemOperation extends Partial<Operation> {
  /** Whether the request only validates, so that the reply lists no results of items. */
  readonly validates?: boolean;
}

/**
 * Finds the items that an otherwise successful reply rejects: notes, transactions, registration flows. Returns
 * problems with the attr of the item in the payload (`transactions.1`), or of a field in it. Without `x-migrate-items`,
 * checks the items of the reply itself, if it is a list, and of every list directly below it. An item is rejected if
 * its `status` ends in `_ERROR` or is an HTTP status of 400 or above, unless it repeats the sent value.
 */
export function itemProblems(
  reply: JsonValue | undefined,
  operation: ItemOperation,
  payload?: JsonObject,
): readonly PlatformProblem[] {
  const { body, wrap } = operation;
  const found: PlatformProblem[] = [];
  for (const { rule, list } of itemLists(reply, operation, payload)) {
    const attr = rule.attr ?? payloadList(rule.at, body);
    for (const [index, item] of list.entries()) {
      if (found.length >= MAX_PROBLEMS) return found;
      const status = failedStatus(item, index, rule);
      if (status !== undefined && isJsonObject(item))
        found.push(...problemsOfItem([...attr, index], status, item, wrap).slice(0, MAX_PROBLEMS - found.length));
    }
  }
  return found;
}

/**
 * Whether an otherwise successful reply states that the platform had every item before the request: each item has a
 * status that ends in `_ALREADY_EXISTS`. Lists without such a status are ignored.
 */
export function hadItems(reply: JsonValue | undefined, operation: ItemOperation, payload?: JsonObject): boolean {
  const lists = itemLists(reply, operation, payload).map(({ rule, list }) =>
    list.map((item, index) => ALREADY_EXISTS.test(itemStatus(item, index, rule) ?? "")),
  );
  const told = lists.filter((items) => items.includes(true));
  return told.length > 0 && told.flat().every(Boolean);
}

/** As in the platform's published statuses: `NOTE_ALREADY_EXISTS`, `TRANSACTION_ALREADY_EXISTS`. */
const ALREADY_EXISTS = /^[A-Z0-9_]{1,100}_ALREADY_EXISTS$/;

interface ItemList {
  readonly rule: Rule;
  readonly list: readonly JsonValue[];
}

function itemLists(
  reply: JsonValue | undefined,
  { items, validates }: ItemOperation,
  payload: JsonObject | undefined,
): readonly ItemList[] {
  const rules: readonly Rule[] = items ?? (validates === true ? [] : defaultRules(reply, payload));
  return rules.flatMap((rule) => {
    const list = valueAt(reply, rule.at);
    return isJsonArray(list) ? [{ rule, list }] : [];
  });
}

interface Rule extends Pick<ItemRule, "at" | "attr" | "status"> {
  /** The statuses of rejected items; default: statuses that end in `_ERROR`, and HTTP statuses of 400 or above. */
  readonly failed?: readonly string[];
  /** The list at the same path in the payload that was sent. */
  readonly sent?: JsonValue | undefined;
}

function defaultRules(reply: JsonValue | undefined, payload: JsonObject | undefined): readonly Rule[] {
  if (isJsonArray(reply)) return [{ at: [], status: "status" }];
  const lists = Object.entries(isJsonObject(reply) ? reply : {}).filter(([, member]) => isJsonArray(member));
  return lists.map(([name]) => ({ at: [name], status: "status", sent: payload?.[name] }));
}

/** As in the platform's published statuses: `TRANSACTION_IMPORT_ERROR`, `REGISTRATION_FLOW_ERROR`. */
const FAILED = /^[A-Z0-9_]{1,100}_ERROR$/;

function failedStatus(item: JsonValue, index: number, rule: Rule): string | undefined {
  const status = itemStatus(item, index, rule);
  if (status === undefined) return undefined;
  // In a reply with status 207 (Multi-Status), each item has its own HTTP status.
  const value = valueAt(item, [rule.status]);
  const isError = isHttpStatus(value) && Number(value) >= 400;
  return (rule.failed?.includes(status) ?? (FAILED.test(status) || isError)) ? status : undefined;
}

/** Returns the status of an item; undefined if it has none, or if its status only repeats the sent value. */
function itemStatus(item: JsonValue, index: number, { status: name, sent }: Rule): string | undefined {
  const value = valueAt(item, [name]);
  return value === valueAt(sent, [index, name]) ? undefined : codeText(value);
}

/** Returns the payload's list of the same name, otherwise its only list of objects, otherwise the path in the reply. */
function payloadList(at: AttrPath, body: FieldType | undefined): AttrPath {
  if (body?.kind !== "object" || (at.length === 1 && body.properties.has(String(at[0])))) return at;
  const lists = [...body.properties.values()].filter(({ type }) => type.kind === "list" && mayBeObject(type.items));
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? [only.name] : at;
}
