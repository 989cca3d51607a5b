import { momentInZone } from "../../time/zoned-time.ts";
import type { JsonObject } from "../../json/json-value.ts";
import { NOT_FOUND, type PlatformRequest, type Reply } from "../sandbox-reply.ts";

interface Paging {
  readonly total: number;
  /** Default number of records per page. */
  readonly size: number;
  /** Largest accepted `page_size`; absent if the page size is fixed. */
  readonly maxSize?: number;
}

/** The list envelope of API specification 2.1, with absolute URLs of the previous and the next page. */
export function pageReply(
  request: PlatformRequest,
  { total, size, maxSize }: Paging,
  items: (start: number, end: number) => readonly JsonObject[],
): Reply {
  const asked = Number(request.query.get("page_size"));
  const pageSize = maxSize !== undefined && Number.isInteger(asked) && asked > 0 ? Math.min(asked, maxSize) : size;
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const number = pageNumber(request.query.get("page"), pages);
  if (number === undefined) return { ...NOT_FOUND, body: { detail: "Invalid page.", code: "not_found" } };
  const start = (number - 1) * pageSize;
  return {
    status: 200,
    body: {
      count: total,
      next: number < pages ? pageAddress(request, number + 1) : null,
      previous: number > 1 ? pageAddress(request, number - 1) : null,
      results: items(start, Math.min(start + pageSize, total)),
    },
  };
}

function pageNumber(text: string | null, pages: number): number | undefined {
  if (text === null) return 1;
  if (text === "last") return pages;
  const number = Number(text);
  return /^\d+$/.test(text) && number >= 1 && number <= pages ? number : undefined;
}

function pageAddress({ origin, target }: PlatformRequest, number: number): string {
  const url = new URL(target, origin);
  if (number === 1) url.searchParams.delete("page");
  else url.searchParams.set("page", String(number));
  return url.href;
}

/**
 * Converts an ISO 8601 date or date-time of a query to milliseconds since 1970. Without a zone, the time is in
 * Europe/London (API specification 4.2). A local time that occurs twice means the first occurrence. A local time that
 * the clocks skip is read as winter time.
 */
export function queryTimeMs(text: string): number | undefined {
  const [, date, time = "00:00", zone] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?(Z|[-+ ]\d{2}:?\d{2})?$/.exec(text) ?? [];
  if (date === undefined) return undefined;
  const local = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 10) !== date) return undefined;
  return zone === undefined ? momentInZone(`${date}T${time}`, "Europe/London") : local - zoneOffsetMs(zone);
}

/** An unescaped `+` in a query arrives as a space. */
function zoneOffsetMs(zone: string): number {
  if (zone === "Z") return 0;
  const [, sign, hours, minutes] = /^([-+ ])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? -size : size;
}
