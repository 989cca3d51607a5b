import type { FaultOptions } from "./fault-options.ts";
import { refusal, type Reply } from "./reply.ts";

/** HTTP 429 as the Django REST framework says it, with the `Retry-After` that the options name. */
export function throttled({ retryAfter = 1 }: FaultOptions): Reply {
  const wait = typeof retryAfter === "number" ? ` Expected available in ${retryAfter} seconds.` : "";
  return { ...refusal(429, "throttled", `Request was throttled.${wait}`), headers: retryHeader(retryAfter) };
}

/** HTTP 429 of the cap on processing, which says nothing of when to come back (PLATFORM 2.3). */
export const CAPPED: Reply = refusal(429, "throttled", "Too many accounts are being processed.");

/** The reply of a platform, or of the proxy before it, that has failed. */
export function faultyReply({ errorStatus = 500, retryAfter }: FaultOptions): Reply {
  if (errorStatus === 500) return { status: 500, body: { error: "Server Error (500)" } };
  const headers = errorStatus === 503 ? retryHeader(retryAfter ?? 1) : {};
  return {
    status: errorStatus,
    body: `<html><body><h1>${errorStatus} ${REASONS[errorStatus]}</h1></body></html>`,
    headers,
  };
}

const REASONS = { 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout" };

function retryHeader(retryAfter: number | string): Readonly<Record<string, string>> {
  return retryAfter === "none" ? {} : { "Retry-After": String(retryAfter) };
}
