import type { ReadBack } from "../../contract/operations/operation.ts";
import { documentedReply } from "../../contract/operations/documented-reply.ts";
import { fieldAt, type FieldType } from "../../contract/types/field-type.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { Failure } from "../../model/failure.ts";
import { addToGroup } from "../../model/groups.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { parseExact } from "../../json/exact-json.ts";
import { joinPath } from "../../transport/base-url.ts";
import { lookupPath } from "../request-address.ts";
import { comparedAttrs, type ComparedRecord, type LookupRecord } from "./compare-content.ts";
import { evaluateReply, type Evaluation, type LookupResult, unknown } from "./lookup-result.ts";
import { lookUpEach } from "./parallel-lookups.ts";
import { countOf, createRepeatCheck, followPages } from "./pagination.ts";
import { hasFurtherRecords, linksToNextPage } from "./further-pages.ts";
import { type ReadClient, type ReadRequest, wrongReply } from "./read-client.ts";
import { hasTwoAccounts, identifierText, namesOfKey } from "../reply/named-record.ts";
import { recordMismatch } from "../reply/reply-trust.ts";

interface LookupContext {
  readonly client: ReadClient;
  /** Attr of the business key, which identifies the items of a list. */
  readonly key: AttrPath;
}

/**
 * Looks up records once, with every GET operation that the contract names. Lists come first, because one list covers
 * thousands of records. A record is found if one operation finds it, and absent if all operations report it absent. A
 * found record whose content must be compared is looked up again with the operations that compare further attrs.
 * @throws Failure if continuing is pointless: authentication, redirect, an aborted signal, three consecutive failed
 * lookups
 */
export async function lookUpRecords(
  records: readonly LookupRecord[],
  readBacks: readonly ReadBack[],
  { client, key }: LookupContext,
): Promise<readonly LookupResult[]> {
  const withinLimit = createFailureLimit();
  const results = new Map<LookupRecord, LookupResult>();
  const note = (record: LookupRecord, result: LookupResult): void => {
    results.set(record, mergedResult(results.get(record), result));
  };
  const isOpen = (record: LookupRecord, readBack: ReadBack): boolean => {
    const before = results.get(record);
    if (before?.kind !== "found") return before?.kind !== "different";
    return (
      record.needsContent === true &&
      record.isAsSent &&
      comparedAttrs([readBack], key).some((attr) => !before.values.has(attr))
    );
  };

  for (const list of readBacks.filter(({ list: at }) => at !== undefined)) {
    const open = records.filter((record) => isOpen(record, list));
    for (const [path, group] of byPath(open, list, note)) {
      const found = await withinLimit(() => readList(group, path, list, { client, key }));
      for (const record of group)
        note(record, typeof found === "string" ? unknown(found) : (found.get(record) ?? { kind: "absent" }));
    }
  }
  const single = readBacks.filter(({ list: at }) => at === undefined);
  await lookUpEach(single.length === 0 ? [] : records, client, async (record) => {
    for (const one of single) {
      if (!isOpen(record, one)) continue;
      const result = await withinLimit(() => readOne(record, one, { client, key }));
      note(record, typeof result === "string" ? unknown(result) : result);
    }
  });
  return records.map((record) => results.get(record) ?? unknown("the contract names no operation to query"));
}

/** Returns the combined result of two operations. A record that is only partly compared proves nothing. */
function mergedResult(before: LookupResult | undefined, next: LookupResult): LookupResult {
  if (before === undefined) return next;
  if (before.kind === "found") {
    if (next.kind === "found" || next.kind === "different") return foundTwice(before, next);
    return next.kind === "unknown" ? next : before;
  }
  return next.kind === "absent" ? before : next;
}

function foundTwice(before: ComparedRecord, next: ComparedRecord): LookupResult {
  if (haveTwoAccounts(before, next)) return TWO_ANSWERS;
  return {
    ...before,
    ...next,
    compared: [...new Set([...before.compared, ...next.compared])],
    values: new Map([...before.values, ...next.values]),
  };
}

/**
 * Number of consecutive failed lookups after which the platform is assumed to be the cause. A single failure may be
 * specific to its record.
 */
const MAX_CONSECUTIVE_FAILURES = 3;

function createFailureLimit() {
  let failures = 0;
  return async <T>(ask: () => Promise<T>): Promise<T | string> => {
    try {
      const answer = await ask();
      failures = 0;
      return answer;
    } catch (error) {
      failures += 1;
      const isTemporary =
        error instanceof Failure && TEMPORARY_FAILURES.has(error.code) && failures < MAX_CONSECUTIVE_FAILURES;
      if (!isTemporary) throw error;
      return error.message;
    }
  };
}

const TEMPORARY_FAILURES: ReadonlySet<string> = new Set(["platform_unreachable", "wrong_endpoint", "not_found"]);

/** Groups the records by the path of the list. Gives a record without a path an unknown result. */
function byPath(
  records: readonly LookupRecord[],
  readBack: ReadBack,
  note: (record: LookupRecord, result: LookupResult) => void,
): ReadonlyMap<string, LookupRecord[]> {
  const groups = new Map<string, LookupRecord[]>();
  for (const record of records) {
    const target = lookupPath(readBack, record);
    if ("reason" in target) note(record, unknown(target.reason));
    else addToGroup(groups, target.path, record);
  }
  return groups;
}

/**
 * Returns the results for the records that the list contains. A 404 proves nothing, because the list itself might not
 * exist. An incomplete list proves nothing either. If the list changed while it was read, it proves nothing about the
 * records that it does not contain.
 */
async function readList(
  records: readonly LookupRecord[],
  path: string,
  list: ReadBack,
  { client, key }: LookupContext,
): Promise<ReadonlyMap<LookupRecord, LookupResult>> {
  const keyMatch = list.match.find(({ payload }) => formatAttr(payload) === formatAttr(key));
  if (keyMatch === undefined)
    throw notFound("the contract does not say which field of a list entry contains the business key");
  const { byKey, byNumber, found } = recordsByKey(records, key);
  const what = "the list of received records";
  const missing = notFound("the platform has no list of received records (HTTP 404)");
  let [isPaged, isIncomplete] = [false, false];
  const noteHeaders: ReadRequest["noteHeaders"] = ({ link }) => {
    isIncomplete ||= linksToNextPage(link);
  };
  const first = { url: joinPath(client.baseUrl, path), what, missing, query: false, noteHeaders };
  const readPage = (text: string) => {
    const body = parsed(text, what);
    const results = valueAt(body, list.list ?? []);
    if (!isJsonArray(results)) throw wrongReply(what, "has no list at the path that the contract names");
    const { next, count, previous }: JsonObject = isJsonObject(body) ? body : {};
    isPaged ||= [next, count, previous].some((member) => member !== undefined);
    isIncomplete = !isPaged && (isIncomplete || hasFurtherRecords(body, results.length));
    return { next: isPaged ? next : null, count: countOf(count, what), results };
  };
  const form = formOfItems(list);
  const repeatsEarlierPage = createRepeatCheck();
  let hasChanged = false;
  for await (const { results } of followPages(client, first, readPage)) {
    hasChanged = repeatsEarlierPage(results) || hasChanged;
    for (const item of results) {
      const listed = valueAt(item, keyMatch.reply);
      const similar = byNumber.get(listed);
      if (similar !== undefined) found.set(similar, LISTED_AS_NUMBER);
      const record = byKey.get(identifierText(listed));
      if (record === undefined) continue;
      found.set(record, combined(found.get(record), resultOfItem(item, record, list, { key, form })));
    }
  }
  const unlisted = isIncomplete ? FURTHER_PAGES : hasChanged ? CHANGED_LIST : undefined;
  if (unlisted !== undefined) for (const record of records) if (!found.has(record)) found.set(record, unlisted);
  return found;
}

function resultOfItem(item: JsonValue, record: LookupRecord, list: ReadBack, evaluation: Evaluation): LookupResult {
  const identifiers = { outcomes: [], key: evaluation.key, ...definedMembers({ account: list.account }) };
  const isAmbiguous = hasTwoAccounts(item, identifiers, record.payload);
  return isAmbiguous ? TWO_ACCOUNTS_IN_ONE : evaluateReply(item, record, list, evaluation);
}

/**
 * Returns the records by key and, if the key consists of digits with leading zeros, also by number. Records that share
 * a key are in `found`, because the list cannot distinguish them.
 */
function recordsByKey(
  records: readonly LookupRecord[],
  key: AttrPath,
): {
  readonly byKey: ReadonlyMap<string, LookupRecord>;
  readonly byNumber: ReadonlyMap<unknown, LookupRecord>;
  readonly found: Map<LookupRecord, LookupResult>;
} {
  const byKey = new Map<string, LookupRecord>();
  const byNumber = new Map<unknown, LookupRecord>();
  const found = new Map<LookupRecord, LookupResult>();
  for (const record of records) {
    const text = identifierText(valueAt(record.payload, key));
    const other = byKey.get(text);
    if (other !== undefined) for (const one of [record, other]) found.set(one, SAME_KEY);
    else if (text !== "") byKey.set(text, record);
    if (/^0\d+$/.test(text)) byNumber.set(Number(text), record);
  }
  return { byKey, byNumber, found };
}

function formOfItems({ operation, list = [] }: ReadBack): FieldType | undefined {
  const documented = documentedReply(operation, 200)?.body;
  const listForm = documented && fieldAt(documented, list);
  return listForm?.kind === "list" ? listForm.items : undefined;
}

const LISTED_AS_NUMBER = unknown("the platform lists a number that equals the record's key without its leading zeros");
const SAME_KEY = unknown("another record of this lookup has the same key");
const CHANGED_LIST = unknown(
  "two pages of the list of received records contain the same entry, so the list has probably changed between them",
);
const FURTHER_PAGES = unknown(
  "the list of received records has further pages, but does not give the address of the next page in `next`",
);

const TWO_ACCOUNTS = unknown("the platform lists the record's key twice, with different account numbers");
const TWO_ANSWERS = unknown("the platform returns the record with two different account numbers");
const TWO_ACCOUNTS_IN_ONE = unknown("the platform lists the record with two different account numbers");

function combined(before: LookupResult | undefined, item: LookupResult): LookupResult {
  if (before === undefined || before === item) return item;
  if (before === SAME_KEY || before === TWO_ACCOUNTS) return before;
  if (haveTwoAccounts(before, item)) return TWO_ACCOUNTS;
  if (RANK[item.kind] !== RANK[before.kind]) return RANK[item.kind] > RANK[before.kind] ? item : before;
  return accountOf(before) === undefined ? item : before;
}

function haveTwoAccounts(one: LookupResult, other: LookupResult): boolean {
  const [first, second] = [accountOf(one), accountOf(other)];
  return first !== undefined && second !== undefined && first !== second;
}

const RANK = { absent: 0, unknown: 1, different: 2, found: 3 } as const;

function accountOf(result: LookupResult): string | undefined {
  return "account" in result ? result.account : undefined;
}

async function readOne(
  record: LookupRecord,
  readBack: ReadBack,
  { client, key }: LookupContext,
): Promise<LookupResult> {
  const { operation, parameters, account } = readBack;
  const identifiers = { outcomes: [], key, keyNames: namesOfKey(parameters, key), ...definedMembers({ account }) };
  const what = "the state of a record";
  const missing = notFound("HTTP 404");
  const target = lookupPath(readBack, record);
  if ("reason" in target) return unknown(target.reason);
  const url = joinPath(client.baseUrl, target.path);
  try {
    const body = parsed(await client.get(url, { what, missing, query: false }), what);
    const form = documentedReply(operation, 200)?.body;
    const why = recordMismatch(body, form, identifiers, record.payload);
    return why === undefined ? evaluateReply(body, record, readBack, { key, form }) : unknown(`a reply ${why}`);
  } catch (error) {
    if (error === missing) return { kind: "absent" };
    throw error;
  }
}

function notFound(message: string): Failure {
  return new Failure("not_found", message);
}

function parsed(text: string, what: string): JsonValue {
  const body = parseExact(text);
  if (body === undefined) throw wrongReply(what, "is not JSON");
  return body;
}
