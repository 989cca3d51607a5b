import type { z } from "zod";
import { elementTexts, isListOf, parseExact } from "../../json/exact-json.ts";
import { createFastContentHash } from "../../json/fast-content-hash.ts";
import { isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { cleanText } from "../reply/reply-body.ts";
import { type ReadClient, type ReadRequest, wrongReply } from "./read-client.ts";

interface PageResults<T> {
  /** Number of records that the platform reports for the list; undefined if the reply does not contain the number. */
  readonly count: number | undefined;
  readonly results: readonly T[];
}

/** One page of a list (specification 2.1). */
export interface Page<T> extends PageResults<T> {
  /** The JSON of each record as received, but without whitespace. Nothing is added, lost or rounded. */
  readonly json: readonly string[];
  readonly hasNext: boolean;
}

/** The list to read and the type of its records. */
interface ListRequest extends ReadRequest {
  /** Address of the first page. */
  readonly url: URL;
  /** The structure of a record. */
  readonly schema: z.ZodType;
  /** Members whose numbers are converted to text without losing digits. */
  readonly decimals?: ReadonlySet<string>;
}

/** Maximum number of pages. No real list has that many pages, so a longer chain is assumed to be endless. */
export const MAX_PAGES = 10_000;

/**
 * Yields the pages of a list, each requested on demand. Every page after the first is reached through the address in
 * `next` (specification 4.5).
 * @throws the failures of `ReadClient.get`; `redirect` if `next` leads to another origin; `wrong_endpoint` if `next` is
 * missing, invalid or leads back to an earlier page, if there are more than `maxPages` pages, if `count` is invalid or
 * the pages have fewer records, if a page begins with a record of the previous page, or if a page is invalid
 */
export async function* readPages<T>(
  client: ReadClient,
  list: ListRequest,
  maxPages: number = MAX_PAGES,
): AsyncGenerator<Page<T>, void, undefined> {
  let previous: ReadonlySet<string> = new Set();
  for await (const page of followPages(client, list, (text, before) => readPage<T>(text, before, list), maxPages)) {
    const { next, ...records } = page;
    // Records that are added to the list between two requests move the later records to the next page.
    if (records.json[0] !== undefined && previous.has(records.json[0])) {
      throw changedList(
        `two pages of ${list.what} contain the same record, so the list has probably changed between them`,
      );
    }
    previous = new Set(records.json);
    yield { ...records, hasNext: next !== null };
  }
}

interface LinkedPage<T> extends PageResults<T> {
  /** The address of the next page, unchecked; undefined if the reply lacks it. */
  readonly next: JsonValue | undefined;
}

/**
 * Requests a page and the pages that `next` leads to; `read` parses each page, with the number of records before it.
 * @throws the failures of `readPages`
 */
export async function* followPages<P extends LinkedPage<unknown>>(
  client: ReadClient,
  first: ReadRequest & { readonly url: URL },
  read: (text: string, before: number) => P,
  maxPages: number = MAX_PAGES,
): AsyncGenerator<P, void, undefined> {
  const seen = new Set<string>();
  let url: URL | undefined = first.url;
  let [records, count] = [0, 0];
  while (url !== undefined) {
    if (seen.has(url.href)) throw endless("leads back to a page that has already been read");
    if (seen.size >= maxPages) throw endless(`comes after ${maxPages} other pages`);
    seen.add(url.href);
    const missing = seen.size === 1 ? first.missing : wrongReply(first.what, `has the status 404 on page ${seen.size}`);
    const laterPage = seen.size === 1 ? {} : { laterPage: seen.size };
    const page = read(await client.get(url, { ...first, missing, ...laterPage }), records);
    if (page.next === undefined) throw wrongReply(first.what, "has no `next`");
    url = nextPageUrl(page.next, url, client.baseUrl);
    records += page.results.length;
    count = Math.max(count, page.count ?? 0);
    if (url === undefined && records < count) {
      throw changedList(`the platform returned only ${records} of ${count} records in ${first.what}`);
    }
    yield page;
  }
}

/**
 * Returns a function that is called with the entries of each page, in order. It returns true if an earlier page
 * contains one of these entries. In that case, the list changed or was reordered between two requests, so other entries
 * may be missing from all pages. Keeps only a hash of each entry.
 */
export function createRepeatCheck(): (entries: readonly JsonValue[]) => boolean {
  const seen = new Set<number>();
  const hashOf = createFastContentHash();
  return (entries) => {
    const hashes = entries.map(hashOf);
    const hasRepeats = hashes.some((hash) => seen.has(hash));
    for (const hash of hashes) seen.add(hash);
    return hasRepeats;
  };
}

function readPage<T>(
  text: string,
  before: number,
  { what, schema, decimals }: ListRequest,
): LinkedPage<T> & { readonly json: readonly string[] } {
  const envelope = parseExact(text, decimals);
  if (envelope === undefined) throw wrongReply(what, "is not JSON");
  if (!isJsonObject(envelope)) throw wrongReply(what, "is not a page of a list");
  const json = elementTexts(text, "results");
  const { results, next, count } = envelope;
  if (!isListOf(results, json)) throw wrongReply(what, "contains no list of results");
  const isRecord = (value: JsonValue): value is JsonValue & T => schema.safeParse(value).success;
  const records = results.filter(isRecord);
  if (records.length < results.length) {
    const index = results.findIndex((value) => !isRecord(value));
    const field = schema.safeParse(results[index]).error?.issues[0]?.path.join(".") ?? "";
    const reason = field === "" ? "is not an object" : `has an invalid or missing "${field}"`;
    throw wrongReply(what, `contains an unexpected record: record ${before + index + 1} ${reason}`);
  }
  return { count: countOf(count, what), results: records, json, next };
}

/**
 * Returns the `count` of a page. A platform may send it as text.
 * @throws Failure `wrong_endpoint` if it is not a whole number, because missing records would then not be detected
 */
export function countOf(count: JsonValue | undefined, what: string): number | undefined {
  if (count === undefined) return undefined;
  if (typeof count === "object" || !/^\d+$/.test(String(count))) throw wrongReply(what, "has an invalid `count`");
  return Number(count);
}

function changedList(message: string): Failure {
  return new Failure("wrong_endpoint", message, {
    hint: "run the same command again; if the error persists, report it to the platform's operator",
  });
}

function endless(why: string): Failure {
  return new Failure("wrong_endpoint", `the list has no end: the address of the next page ${why}`, {
    hint: "report this to the platform's operator",
  });
}

/**
 * Returns the validated address in `next` (specification 4.5): same origin and scheme as the base URL, no
 * credentials, below the base URL's path. Returns undefined if `next` is null.
 * @param current address of the page that contains `next`
 * @throws Failure `redirect` for another origin, `wrong_endpoint` for an invalid address
 */
function nextPageUrl(next: JsonValue, current: URL, baseUrl: URL): URL | undefined {
  if (next === null) return undefined;
  if (typeof next !== "string" || next === "" || !URL.canParse(next, current.href)) {
    throw refusedPage("wrong_endpoint", "is not a valid URL");
  }
  const url = new URL(next, current);
  if (url.username !== "" || url.password !== "") throw refusedPage("wrong_endpoint", "contains credentials");
  if (url.origin !== baseUrl.origin)
    throw refusedPage("redirect", `leads to ${cleanText(url.origin === "null" ? url.protocol : url.origin, 100)}`);
  if (!url.pathname.startsWith(baseUrl.pathname)) {
    throw refusedPage("wrong_endpoint", `leads outside ${baseUrl.pathname}`);
  }
  url.hash = "";
  return url;
}

function refusedPage(code: "redirect" | "wrong_endpoint", why: string): Failure {
  return new Failure(code, `the address of the next page ${why}, so it was not requested`, {
    hint: "only pages below the base URL are read; report this to the platform's operator",
  });
}

/** The requested part of a list: its first page, all pages, or the page with this number, counted from 1. */
export type PageSelection = "first" | "all" | number;

/**
 * Yields the requested pages. A later page is reached through the previous pages, because the specification defines no
 * direct access (4.5.2).
 * @throws Failure `not_found` if the list has fewer pages
 */
export async function* selectedPages<T>(
  pages: AsyncIterable<Page<T>>,
  extent: PageSelection,
): AsyncGenerator<Page<T>, void, undefined> {
  const wanted = extent === "first" ? 1 : extent;
  let number = 0;
  for await (const page of pages) {
    number += 1;
    if (wanted === "all" || wanted === number) yield page;
    if (wanted === number) return;
  }
  if (wanted !== "all" && number < wanted) {
    throw new Failure("not_found", `there is no page ${wanted}: the last page is ${number}`, {
      hint: "choose a lower number, or use --all",
    });
  }
}

/**
 * Maximum number of records: enough for eleven years of half hours. There is a limit because all pages must be kept in
 * memory until they are reversed.
 */
const MAX_RECORDS = 200_000;

/**
 * Reverses the records: rates arrive with the latest `valid_from` first (specification 2.3) and are returned in
 * chronological order. All pages are read before the first page is returned.
 * @throws Failure `usage` for more than 200,000 records
 */
export async function* inTimeOrder<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<Page<T>, void, undefined> {
  const read: Page<T>[] = [];
  let records = 0;
  for await (const page of pages) {
    read.push(page);
    records += page.results.length;
    if (records <= MAX_RECORDS) continue;
    const most = MAX_RECORDS.toLocaleString("en");
    throw new Failure("usage", `the period has more than ${most} rates, which is too many to sort`, {
      hint: "choose a shorter period with --from and --to",
    });
  }
  for (const page of read.toReversed()) {
    yield { ...page, results: page.results.toReversed(), json: page.json.toReversed() };
  }
}
