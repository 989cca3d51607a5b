import { elementTexts, isListOf, parseExact } from "../../json/exact-json.ts";
import { isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { cleanText } from "../reply/reply-body.ts";
import { type ReadClient, type ReadRequest, wrongReply } from "./read-client.ts";

/** One page of a list (specification 2.1). */
export interface Page<T> {
  /** Number of records that the platform reports for the list; absent when it does not. */
  readonly count: number | undefined;
  readonly results: readonly T[];
  /** The same records as the JSON that was received, each without white space: nothing added, lost or rounded. */
  readonly json: readonly string[];
  /** True when another page follows. */
  readonly hasNext: boolean;
}

/** Which list, and what its records are. */
interface ListRequest<T> extends ReadRequest {
  /** Address of the first page. */
  readonly url: URL;
  readonly isRecord: (value: JsonValue) => value is JsonValue & T;
  /** Members that become text with every digit. */
  readonly decimals?: ReadonlySet<string>;
}

/** More pages than any list has: a chain that long has no end. */
export const MAX_PAGES = 10_000;

/**
 * The pages of a list, the next one asked for when it is wanted, through the address in `next` alone
 * (specification 4.5).
 * @throws Failure as `ReadClient.get` does; `redirect` or `wrong_endpoint` for a `next` that leads astray, in a circle,
 * or on for more than `mostPages`; `wrong_endpoint` for a page that is none
 */
export async function* readPages<T>(
  client: ReadClient,
  list: ListRequest<T>,
  mostPages: number = MAX_PAGES,
): AsyncGenerator<Page<T>, void, undefined> {
  for await (const page of followPages(client, list, (text) => readPage(text, list), mostPages)) {
    const { next, ...records } = page;
    yield { ...records, hasNext: next !== undefined && next !== null };
  }
}

interface LinkedPage {
  /** The address of the page after it, unchecked. */
  readonly next: JsonValue | undefined;
}

/** Gets a page, and those that `next` leads to, each read by `read`. @throws as `readPages` does */
export async function* followPages<P extends LinkedPage>(
  client: ReadClient,
  first: ReadRequest & { readonly url: URL },
  read: (text: string) => P,
  mostPages: number = MAX_PAGES,
): AsyncGenerator<P, void, undefined> {
  const seen = new Set<string>();
  let url: URL | undefined = first.url;
  while (url !== undefined) {
    if (seen.has(url.href)) throw endless("leads back to a page that was read already");
    if (seen.size >= mostPages) throw endless(`follows on ${mostPages} others`);
    seen.add(url.href);
    const page = read(await client.get(url, first));
    url = nextPageUrl(page.next, url, client.baseUrl);
    yield page;
  }
}

function readPage<T>(
  text: string,
  { what, isRecord, decimals }: ListRequest<T>,
): Omit<Page<T>, "hasNext"> & LinkedPage {
  const envelope = parseExact(text, decimals);
  if (envelope === undefined) throw wrongReply(what, "is not JSON");
  if (!isJsonObject(envelope)) throw wrongReply(what, "is not a page of a list");
  const json = elementTexts(text, "results");
  const { results, next, count } = envelope;
  if (!isListOf(results, json)) throw wrongReply(what, "holds no list of results");
  const records = results.filter(isRecord);
  if (records.length < results.length) throw wrongReply(what, "holds a record of another form");
  return { count: typeof count === "number" ? count : undefined, results: records, json, next };
}

function endless(why: string): Failure {
  return new Failure("wrong_endpoint", `the list has no end: the address of the next page ${why}`, {
    hint: "tell the platform's operator; what was read up to here is what was shown",
  });
}

/**
 * The address in `next`, made sure of (specification 4.5): the base address's own origin, and so its scheme; no
 * credentials; below the base address's path. Undefined when it is null or absent.
 * @param current address of the page that holds it
 * @throws Failure `redirect` when it leads to another origin, `wrong_endpoint` when it makes no sense
 */
function nextPageUrl(next: JsonValue | undefined, current: URL, baseUrl: URL): URL | undefined {
  if (next === undefined || next === null) return undefined;
  if (typeof next !== "string" || next === "" || !URL.canParse(next, current.href)) {
    throw refusedPage("wrong_endpoint", "is no address");
  }
  const url = new URL(next, current);
  if (url.username !== "" || url.password !== "") throw refusedPage("wrong_endpoint", "holds credentials");
  if (url.origin !== baseUrl.origin) throw refusedPage("redirect", `leads to ${cleanText(url.origin, 100)}`);
  if (!url.pathname.startsWith(baseUrl.pathname)) {
    throw refusedPage("wrong_endpoint", `leads out of ${baseUrl.pathname}`);
  }
  url.hash = "";
  return url;
}

function refusedPage(code: "redirect" | "wrong_endpoint", why: string): Failure {
  return new Failure(code, `the address of the next page ${why}: refused`, {
    hint: "pages are read from below the base URL only; tell the platform's operator",
  });
}

/** How much of a list is wanted: its first page, all of it, or the page of this number, from 1. */
export type PageSelection = "first" | "all" | number;

/**
 * The pages that are wanted. A page further on is reached through those before it, because the specification names no
 * way to ask for it (4.5.2).
 * @throws Failure `not_found` when the list ends before the page of the number
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
    throw new Failure("not_found", `there is no page ${wanted}: the list has ${number}`, {
      hint: "take a lower number, or --all",
    });
  }
}

/** As many half hours as eleven years have: pages in reverse order have to be kept in memory. */
const MAX_RECORDS = 200_000;

/**
 * The same records, the last one first: rates arrive with the latest `valid_from` first (specification 2.3), and leave
 * in the order of time. Nothing comes out before all of it has been read.
 * @throws Failure `usage` for more than 200,000 records
 */
export async function* inTimeOrder<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<Page<T>, void, undefined> {
  const read: Page<T>[] = [];
  let records = 0;
  for await (const page of pages) {
    read.push(page);
    records += page.results.length;
    if (records > MAX_RECORDS) throw tooManyRecords();
  }
  for (const page of read.toReversed()) {
    yield { ...page, results: page.results.toReversed(), json: page.json.toReversed() };
  }
}

function tooManyRecords(): Failure {
  return new Failure("usage", `more than ${MAX_RECORDS.toLocaleString("en")} rates to be put in order`, {
    hint: "ask for a shorter period with --from and --to",
  });
}
