import { Failure } from "../model/failure.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";
import { elementTexts, isListOf, parseExact } from "./exact-json.ts";
import { nextAddress } from "./page-address.ts";
import { type ReadClient, type Wanted, wrongReply } from "./read-client.ts";

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
export interface ListRequest<T> extends Wanted {
  /** Address of the first page. */
  readonly url: URL;
  readonly isRecord: (value: JsonValue) => value is JsonValue & T;
  /** Members that become text with every digit. */
  readonly decimals?: ReadonlySet<string>;
}

/** More pages than any list has: a chain that long has no end. */
export const MOST_PAGES = 10_000;

/**
 * The pages of a list, the next one asked for when it is wanted, through the address in `next` alone
 * (specification 4.5).
 * @throws Failure as `ReadClient.get` does; `redirect` or `wrong_endpoint` for a `next` that leads astray, in a circle,
 * or on for more than `mostPages`; `wrong_endpoint` for a page that is none
 */
export async function* pages<T>(
  client: ReadClient,
  list: ListRequest<T>,
  mostPages: number = MOST_PAGES,
): AsyncGenerator<Page<T>, void, undefined> {
  const seen = new Set<string>();
  let url: URL | undefined = list.url;
  while (url !== undefined) {
    if (seen.has(url.href)) throw endless("leads back to a page that was read already");
    if (seen.size >= mostPages) throw endless(`follows on ${mostPages} others`);
    seen.add(url.href);
    const text = await client.get(url, list);
    const { next, ...page } = readPage(text, list);
    url = nextAddress(next, url, client.baseUrl);
    yield { ...page, hasNext: url !== undefined };
  }
}

function readPage<T>(
  text: string,
  { what, isRecord, decimals }: ListRequest<T>,
): Omit<Page<T>, "hasNext"> & { readonly next: JsonValue | undefined } {
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
