import type { JsonObject } from "../model/json.ts";
import { NOT_FOUND, type PlatformRequest, type Reply } from "./reply.ts";

export interface Paging {
  readonly total: number;
  /** Default number of records of a page. */
  readonly size: number;
  /** Largest `page_size` that may be asked for; absent: it cannot be changed. */
  readonly mostSize?: number;
}

/** The list envelope of specification 2.1, with absolute addresses of the pages before and after. */
export function page(
  request: PlatformRequest,
  { total, size, mostSize }: Paging,
  items: (start: number, end: number) => readonly JsonObject[],
): Reply {
  const asked = Number(request.query.get("page_size"));
  const pageSize = mostSize !== undefined && Number.isInteger(asked) && asked > 0 ? Math.min(asked, mostSize) : size;
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
