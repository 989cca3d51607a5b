import type { ReadBack } from "../../contract/operations/operation.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { Failure } from "../../model/failure.ts";
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  valueAt as payloadValueAt,
} from "../../json/json-value.ts";
import { joinPath } from "../../transport/base-url.ts";
import { filledPath } from "../../transport/base-url.ts";
import { nextPageUrl } from "./pagination.ts";
import { MAX_PAGES } from "./pagination.ts";
import { type ReadClient, wrongReply } from "./read-client.ts";
import { cleanText, isEmpty, valueAt } from "../reply/reply-body.ts";

/** A record that is looked for. */
export interface LookupRecord {
  readonly payload: JsonObject;
  /** False: what was sent was another version of the record, so that only its key can be compared. */
  readonly isAsSent: boolean;
}

/** What the platform says of it. `unknown`: this look proves nothing. */
export type LookupResult =
  | { readonly kind: "found"; readonly account?: string }
  | { readonly kind: "different"; readonly attrs: readonly string[]; readonly account?: string }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * Looks once for records on the platform, by every GET operation that the contract names: lists first, because one of
 * them tells of thousands of records. Found by one is found; absent is what all of them say is absent.
 * @param key attr of the business key, by which a list's items are known
 * @throws Failure where it makes no sense to go on: authentication, redirect, an aborted signal, no usable answer thrice
 */
export async function lookUpRecords(
  records: readonly LookupRecord[],
  readBacks: readonly ReadBack[],
  { client, key }: { readonly client: ReadClient; readonly key: AttrPath },
): Promise<readonly LookupResult[]> {
  const patience = createFailureLimit();
  const seen = new Map<LookupRecord, LookupResult>();
  const note = (record: LookupRecord, sighting: LookupResult): void => {
    const before = seen.get(record);
    if (before === undefined || sighting.kind !== "absent") seen.set(record, sighting);
  };
  const isOpen = (record: LookupRecord): boolean => {
    const kind = seen.get(record)?.kind;
    return kind === undefined || kind === "absent" || kind === "unknown";
  };

  for (const list of readBacks.filter(({ list: at }) => at !== undefined)) {
    for (const [path, group] of byPath(records.filter(isOpen), list)) {
      const found = await patience(() => readList(group, { path, list, client, key }));
      for (const record of group) note(record, typeof found === "string" ? unknown(found) : resultFor(found, record));
    }
  }
  for (const record of records) {
    for (const one of readBacks.filter(({ list: at }) => at === undefined)) {
      if (!isOpen(record)) break;
      const sighting = await patience(() => readOne(record, one, client));
      note(record, typeof sighting === "string" ? unknown(sighting) : sighting);
    }
  }
  return records.map((record) => seen.get(record) ?? unknown("the contract names nothing to ask"));
}

function unknown(reason: string): LookupResult {
  return { kind: "unknown", reason };
}

function resultFor(found: ReadonlyMap<LookupRecord, LookupResult>, record: LookupRecord): LookupResult {
  return found.get(record) ?? { kind: "absent" };
}

type FailureLimit = <T>(ask: () => Promise<T>) => Promise<T | string>;

/** One answer that is none may be about one record; so many in a row are about the platform. */
const MAX_CONSECUTIVE_FAILURES = 3;

function createFailureLimit(): FailureLimit {
  let unanswered = 0;
  return async (ask) => {
    try {
      const answer = await ask();
      unanswered = 0;
      return answer;
    } catch (error) {
      unanswered += 1;
      const isPassing =
        error instanceof Failure && TEMPORARY_FAILURES.has(error.code) && unanswered < MAX_CONSECUTIVE_FAILURES;
      if (!isPassing) throw error;
      return error.message;
    }
  };
}

const TEMPORARY_FAILURES: ReadonlySet<string> = new Set(["platform_unreachable", "wrong_endpoint", "not_found"]);

function byPath(
  records: readonly LookupRecord[],
  { operation, parameters }: ReadBack,
): ReadonlyMap<string, LookupRecord[]> {
  const groups = new Map<string, LookupRecord[]>();
  for (const record of records) {
    const path = filledPath(operation.path, parameters, record.payload);
    const group = groups.get(path);
    if (group === undefined) groups.set(path, [record]);
    else group.push(record);
  }
  return groups;
}

interface ListLookup {
  readonly path: string;
  readonly list: ReadBack;
  readonly client: ReadClient;
  readonly key: AttrPath;
}

/** The records that the list holds. Whether there is such a list at all, a 404 leaves open. */
async function readList(
  records: readonly LookupRecord[],
  { path, list, client, key }: ListLookup,
): Promise<ReadonlyMap<LookupRecord, LookupResult>> {
  const known = list.match.find(({ payload }) => formatAttr(payload) === formatAttr(key));
  if (known === undefined) throw notFound("the contract's list of records is not matched by the business key");
  const byKey = new Map(records.map((record) => [textOf(payloadValueAt(record.payload, key)), record]));
  const found = new Map<LookupRecord, LookupResult>();
  const what = "the list of records that arrived";
  const missing = notFound("the platform has no list of records that arrived (HTTP 404)");
  let url: URL | undefined = joinPath(client.baseUrl, path);
  for (let page = 1; url !== undefined; page += 1) {
    if (page > MAX_PAGES) throw wrongReply(what, "has no end");
    const body = parsed(await client.get(url, { what, missing, query: false }), what);
    const items = valueAt(body, list.list ?? []);
    if (!isJsonArray(items)) throw wrongReply(what, "holds no list where the contract says");
    for (const item of items) {
      const record = byKey.get(textOf(valueAt(item, known.reply)));
      if (record !== undefined && found.get(record)?.kind !== "found") found.set(record, compare(item, record, list));
    }
    url = isJsonObject(body) ? nextPageUrl(body["next"], url, client.baseUrl) : undefined;
  }
  return found;
}

async function readOne(record: LookupRecord, readBack: ReadBack, client: ReadClient): Promise<LookupResult> {
  const { operation, parameters } = readBack;
  const what = "the state of a record";
  const missing = notFound("HTTP 404");
  const url = joinPath(client.baseUrl, filledPath(operation.path, parameters, record.payload));
  try {
    return compare(parsed(await client.get(url, { what, missing, query: false }), what), record, readBack);
  } catch (error) {
    if (error === missing) return { kind: "absent" };
    throw error;
  }
}

function notFound(message: string): Failure {
  return new Failure("not_found", message);
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongReply(what, "is not JSON");
  }
}

function compare(
  reply: unknown,
  { payload, isAsSent }: LookupRecord,
  { match, has, account: place }: ReadBack,
): LookupResult {
  if (has !== undefined && isEmpty(valueAt(reply, has))) return { kind: "absent" };
  const number = place === undefined ? "" : textOf(valueAt(reply, place));
  const account = number === "" ? {} : { account: cleanText(number, 100) };
  const attrs = match
    .filter((one) => isAsSent && !isSame(valueAt(reply, one.reply), payloadValueAt(payload, one.payload)))
    .map((one) => formatAttr(one.payload));
  return attrs.length === 0 ? { kind: "found", ...account } : { kind: "different", attrs, ...account };
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? scalarText(value) : "";
}

/** Numbers may come back as text; what is empty is as good as absent. */
function isSame(replied: unknown, sent: unknown): boolean {
  if (isEmpty(replied) || isEmpty(sent)) return isEmpty(replied) && isEmpty(sent);
  if (isScalar(replied) && isScalar(sent)) return scalarText(replied) === scalarText(sent);
  return isStructure(replied) && isStructure(sent) && canonicalJson(replied) === canonicalJson(sent);
}

function isStructure(value: unknown): value is JsonObject | readonly JsonObject[] {
  return isJsonObject(value) || isJsonArray(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function scalarText(value: string | number | boolean): string {
  return String(value).normalize("NFC");
}
