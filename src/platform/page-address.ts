import { Failure } from "../model/failure.ts";
import type { JsonValue } from "../model/json.ts";
import { cleanText } from "./reply-body.ts";

/**
 * The address in `next`, made sure of (specification 4.5): the base address's own origin, and so its scheme; no
 * credentials; below the base address's path. Undefined when it is null or absent.
 * @param current address of the page that holds it
 * @throws Failure `redirect` when it leads to another origin, `wrong_endpoint` when it makes no sense
 */
export function nextAddress(next: JsonValue | undefined, current: URL, baseUrl: URL): URL | undefined {
  if (next === undefined || next === null) return undefined;
  const url = typeof next === "string" && next !== "" ? parsed(next, current) : undefined;
  if (url === undefined) throw refused("wrong_endpoint", "is no address");
  if (url.username !== "" || url.password !== "") throw refused("wrong_endpoint", "holds credentials");
  if (url.origin !== baseUrl.origin) throw refused("redirect", `leads to ${cleanText(url.origin, 100)}`);
  if (!url.pathname.startsWith(baseUrl.pathname)) {
    throw refused("wrong_endpoint", `leads out of ${baseUrl.pathname}`);
  }
  url.hash = "";
  return url;
}

function parsed(next: string, current: URL): URL | undefined {
  try {
    return new URL(next, current);
  } catch {
    return undefined;
  }
}

function refused(code: "redirect" | "wrong_endpoint", why: string): Failure {
  return new Failure(code, `the address of the next page ${why}: refused`, {
    hint: "pages are read from below the base URL only; tell the platform's operator",
  });
}
