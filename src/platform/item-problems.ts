import type { Operation } from "../contract/contract.ts";
import type { FieldType } from "../contract/field-type.ts";
import type { ItemRule } from "../contract/outcome-rule.ts";
import type { AttrPath } from "../model/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../model/json.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { valueAt } from "./reply-body.ts";
import { itemProblem, MAX_PROBLEMS } from "./reply-problems.ts";

/** What is asked of an operation to find the failures of single items in its replies. */
export type ItemOperation = Partial<Pick<Operation, "items" | "body">>;

/**
 * What a reply that was a success refuses of single items: notes, transactions, registration flows. One problem for
 * each, at the item's place in the payload (`transactions.1`). Without `x-migrate-items`, items whose `status` ends in
 * `_ERROR` failed, in the reply itself or in any list right below it.
 */
export function itemProblems(reply: unknown, operation: ItemOperation): readonly PlatformProblem[] {
  const { items: rules = defaultRules(reply), body } = operation;
  const found: PlatformProblem[] = [];
  for (const rule of rules) {
    const list = valueAt(reply, rule.at);
    if (!isJsonArray(list)) continue;
    const attr = rule.attr ?? payloadList(rule.at, body);
    for (const [index, item] of list.entries()) {
      if (found.length >= MAX_PROBLEMS) return found;
      const status = failedStatus(item, rule);
      if (status !== undefined && isJsonObject(item)) found.push(itemProblem([...attr, index], status, item));
    }
  }
  return found;
}

interface Rule extends Pick<ItemRule, "at" | "attr" | "status"> {
  /** None: by how the status ends. */
  readonly failed?: readonly string[];
}

function defaultRules(reply: unknown): readonly Rule[] {
  if (isJsonArray(reply)) return [{ at: [], status: "status" }];
  return isJsonObject(reply) ? listNames(reply).map((name) => ({ at: [name], status: "status" })) : [];
}

function listNames(reply: JsonObject): readonly string[] {
  return Object.keys(reply).filter((name) => isJsonArray(reply[name]));
}

/** As the platform's published statuses have it: `TRANSACTION_IMPORT_ERROR`, `REGISTRATION_FLOW_ERROR`. */
const FAILED = /^[A-Z0-9_]{1,100}_ERROR$/;

function failedStatus(item: unknown, { status: name, failed }: Rule): string | undefined {
  const status = valueAt(item, [name]);
  if (typeof status !== "string") return undefined;
  return (failed?.includes(status) ?? FAILED.test(status)) ? status : undefined;
}

/** The payload's list of the same name; else the only list of objects that the payload has; else the reply's name. */
function payloadList(at: AttrPath, body: FieldType | undefined): AttrPath {
  if (body?.kind !== "object" || (at.length === 1 && body.properties.has(String(at[0])))) return at;
  const lists = [...body.properties.values()].filter(
    ({ type }) => type.kind === "list" && type.items.kind === "object",
  );
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? [only.name] : at;
}
