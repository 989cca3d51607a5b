import { isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { isEmpty } from "../reply/reply-body.ts";

/** Members that lead to another page unless they are empty or false. Names are in lower case, with letters only. */
const LEADS_ON =
  /^(?:(?:odata)?next(?:page)?(?:url|link|href|cursor|token|marker|offset|key)?|cursor|continuation(?:token)?|has(?:more|next)(?:pages?)?|more)$/;

/** Members with the number of records on all pages. */
const TOTAL = /^total(?:count|items|results|records|elements|size)?$/;

/** Members with the number of pages. */
const PAGES = /^(?:totalpages|pagecount|numpages|lastpage|pages)$/;

/** Objects in a reply may contain the members of a page at this depth, as in `links.next` and `meta.page.total`. */
const MAX_DEPTH = 3;

/**
 * Whether a reply without the address of the next page in `next` (specification 4.5) shows in another way that the list
 * has further records: a cursor, a flag, a link, or a total.
 * @param records the number of records in the reply
 */
export function hasFurtherRecords(body: JsonValue, records: number): boolean {
  return isJsonObject(body) && showsMore(body, records, MAX_DEPTH);
}

function showsMore(body: JsonObject, records: number, depth: number): boolean {
  return Object.entries(body).some(([name, value]) => {
    if (isJsonObject(value) && depth > 1 && showsMore(value, records, depth - 1)) return true;
    const plain = name.toLowerCase().replaceAll(/[^a-z]/g, "");
    if (LEADS_ON.test(plain)) return !isEmpty(value) && value !== false && value !== 0;
    const number = Number(value);
    return Number.isInteger(number) && ((TOTAL.test(plain) && number > records) || (PAGES.test(plain) && number > 1));
  });
}

/** Whether a `Link` header (RFC 8288) leads to another page. */
export function linksToNextPage(link: string | undefined): boolean {
  return link !== undefined && /;\s*rel\s*=\s*(?:next\b|"(?:[^"]*\s)?next(?:\s[^"]*)?")/i.test(link);
}
