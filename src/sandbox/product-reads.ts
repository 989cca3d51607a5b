import type { JsonObject, JsonValue } from "../model/json.ts";
import { findProduct, type Product, products, tariffsOf } from "./catalogue.ts";
import { momentMs } from "./london-time.ts";
import { page } from "./page.ts";
import { type Handler, invalidPayload, NOT_FOUND, type Reply } from "./reply.ts";

const PAGE_SIZE = 100;
const FLAGS = ["is_variable", "is_green", "is_tracker", "is_prepay", "is_business"] as const;

/** `GET /products/` with the filters of specification 4.1 and those that instances publish (PLATFORM 9). */
export function productListHandler(now: () => number): Handler {
  return (request) => {
    const { query } = request;
    const asked = FLAGS.map((flag) => [flag, booleanFrom(query.get(flag))] as const);
    const wrong = asked.find(([flag, value]) => value === undefined && query.has(flag));
    if (wrong !== undefined) return invalidQuery(wrong[0], "Must be a valid boolean.");
    const availableAt = query.has("available_at") ? momentMs(query.get("available_at") ?? "") : now();
    if (availableAt === undefined) return invalidQuery("available_at", "Enter a valid date/time.");
    const brand = query.get("brand");
    const historical = booleanFrom(query.get("is_historical")) ?? false;
    const found = products().filter(
      (one) =>
        (brand === null || one.brand === brand) &&
        asked.every(([flag, value]) => value === undefined || one[flag] === value) &&
        (!query.has("available_at") || isAvailable(one, availableAt)) &&
        (!historical || (one.available_to !== null && Date.parse(one.available_to) <= availableAt)),
    );
    return page(request, { total: found.length, size: PAGE_SIZE }, (start, end) =>
      found.slice(start, end).map((one) => withLinks(one, request.origin)),
    );
  };
}

/** `GET /products/<code>/`: the product with one region's tariffs. */
export const productHandler: Handler = ({ params, origin }) => {
  const found = findProduct(params["product"] ?? "");
  if (found === undefined) return NOT_FOUND;
  return { status: 200, body: { ...withLinks(found, origin), tariffs: tariffLinks(found, origin) } };
};

export function invalidQuery(attr: string, detail: string): Reply {
  return invalidPayload("invalid", "The query is not valid.", [{ attr, code: "invalid", detail }]);
}

function isAvailable({ available_from, available_to }: Product, at: number): boolean {
  return Date.parse(available_from) <= at && (available_to === null || Date.parse(available_to) > at);
}

function booleanFrom(text: string | null): boolean | undefined {
  if (text === null) return undefined;
  const word = text.toLowerCase();
  return word === "true" || (word === "false" ? false : undefined);
}

function withLinks(one: Product, origin: string): JsonObject {
  return { ...one, links: [{ href: `${origin}/v1/products/${one.code}/`, method: "GET", rel: "self" }] };
}

function tariffLinks(one: Product, origin: string): readonly JsonValue[] {
  return tariffsOf(one).map(({ code, fuel, registers }) => ({
    code,
    fuel,
    links: (registers === 2 ? ["day-unit-rates", "night-unit-rates"] : ["standard-unit-rates"])
      .concat("standing-charges")
      .map((rel) => ({
        href: `${origin}/v1/products/${one.code}/${fuel}-tariffs/${code}/${rel}/`,
        method: "GET",
        rel,
      })),
  }));
}
