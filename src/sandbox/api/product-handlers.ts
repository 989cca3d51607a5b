import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import { isoSeconds } from "../../time/clock.ts";
import { momentInZone } from "../../time/zoned-time.ts";
import { type Handler, NOT_FOUND, type PlatformRequest, type Reply, invalidPayload } from "../sandbox-reply.ts";
import {
  type Product,
  PRODUCTS,
  type Tariff,
  findProduct,
  findTariff,
  isHalfHourly,
  tariffsOf,
} from "../state/product-catalogue.ts";

const PRODUCT_PAGE_SIZE = 100;
const FLAGS = ["is_variable", "is_green", "is_tracker", "is_prepay", "is_business"] as const;

/**
 * Handles `GET /products/` with the filters of API specification 4.1 and of the operators' published OpenAPI documents.
 */
export function productListHandler(now: () => number): Handler {
  return (request) => {
    const { query } = request;
    const wrong = [...FLAGS, "is_historical"].find(
      (name) => query.has(name) && booleanFrom(query.get(name)) === undefined,
    );
    if (wrong !== undefined) return invalidQuery(wrong, "Must be a valid boolean.");
    const asked = FLAGS.map((flag) => [flag, booleanFrom(query.get(flag))] as const);
    const availableAt = timeIn(query, "available_at", now());
    if (availableAt === undefined) return invalidQuery("available_at", "Enter a valid date/time.");
    const brand = query.get("brand");
    const historical = booleanFrom(query.get("is_historical"));
    const found = PRODUCTS.filter(
      (one) =>
        (brand === null || one.brand === brand) &&
        asked.every(([flag, value]) => value === undefined || one[flag] === value) &&
        (!query.has("available_at") || isAvailable(one, availableAt)) &&
        (historical === undefined || isHistorical(one, availableAt) === historical),
    );
    return pageReply(request, { total: found.length, size: PRODUCT_PAGE_SIZE }, (start, end) =>
      found.slice(start, end).map((one) => withLinks(one, request.origin)),
    );
  };
}

/** Handles `GET /products/<code>/`. Returns the product with its tariffs in the first region. */
export const productHandler: Handler = ({ params, origin }) => {
  const found = findProduct(params["product"] ?? "");
  if (found === undefined) return NOT_FOUND;
  return { status: 200, body: { ...withLinks(found, origin), tariffs: tariffLinks(found, origin) } };
};

function invalidQuery(attr: string, detail: string): Reply {
  return invalidPayload("invalid", "The query is not valid.", [{ attr, code: "invalid", detail }]);
}

function isAvailable({ available_from, available_to }: Product, at: number): boolean {
  return Date.parse(available_from) <= at && (available_to === null || Date.parse(available_to) > at);
}

function isHistorical({ available_to }: Product, at: number): boolean {
  return available_to !== null && Date.parse(available_to) <= at;
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

type RateKind = "standard-unit-rates" | "day-unit-rates" | "night-unit-rates" | "standing-charges";

interface RateList {
  readonly fuel: Tariff["fuel"];
  readonly kind: RateKind;
}

export const RATE_KINDS: readonly RateList[] = [
  { fuel: "electricity", kind: "standard-unit-rates" },
  { fuel: "electricity", kind: "day-unit-rates" },
  { fuel: "electricity", kind: "night-unit-rates" },
  { fuel: "electricity", kind: "standing-charges" },
  { fuel: "gas", kind: "standard-unit-rates" },
  { fuel: "gas", kind: "standing-charges" },
];

const RATE_PAGING = { size: 100, maxSize: 1500 };
const HALF_HOUR_MS = 1_800_000;
const DAY_MS = 86_400_000;
/** Length of a slot whose rate is not half-hourly. */
const FIXED_RATE_MS = 91 * DAY_MS;

/** Lists the rates of the period, latest first (API specification 4.2). Refuses a period with an end but no start. */
export function rateListHandler({ fuel, kind, now }: RateList & { readonly now: () => number }): Handler {
  return (request) => {
    const tariff = findTariff(request.params["tariff"] ?? "");
    if (tariff === undefined || tariff.fuel !== fuel || tariff.product.code !== request.params["product"])
      return NOT_FOUND;
    const asked = periodOf(request);
    if ("refused" in asked) return asked.refused;
    const slots = slotsOf(tariff, kind, now());
    const first = Math.max(0, Math.floor((asked.from - slots.start) / slots.length));
    const end = Math.min(slots.count, Math.ceil((asked.to - slots.start) / slots.length));
    const total = hasRatesOfKind(tariff, kind) ? Math.max(0, end - first) : 0;
    return pageReply(request, { total, ...RATE_PAGING }, (from, to) =>
      Array.from({ length: to - from }, (_, index) => rateAt(slots, end - 1 - from - index, kind)),
    );
  };
}

function periodOf({ query }: PlatformRequest): { from: number; to: number } | { refused: Reply } {
  const from = timeIn(query, "period_from", -Infinity);
  const to = timeIn(query, "period_to", Infinity);
  if (from === undefined) return { refused: invalidQuery("period_from", "Enter a valid date/time.") };
  if (to === undefined) return { refused: invalidQuery("period_to", "Enter a valid date/time.") };
  if (query.has("period_to") && !query.has("period_from")) {
    return { refused: invalidQuery("period_from", "This field is required when period_to is given.") };
  }
  return { from, to };
}

function hasRatesOfKind({ registers }: Tariff, kind: RateKind): boolean {
  if (kind === "standing-charges") return true;
  return (kind === "standard-unit-rates") === (registers === 1);
}

/** Time slots of equal length, each with one rate. */
interface RateSlots {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly length: number;
  readonly count: number;
  /** Whether the last slot has no end yet. */
  readonly open: boolean;
}

function slotsOf({ product }: Tariff, kind: RateKind, now: number): RateSlots {
  const start = Date.parse(product.available_from);
  if (kind === "standard-unit-rates" && isHalfHourly(product)) {
    // Tomorrow's rates are already published.
    const end = Math.floor(now / DAY_MS + 2) * DAY_MS;
    return { start, length: HALF_HOUR_MS, count: Math.max(0, Math.floor((end - start) / HALF_HOUR_MS)), open: false };
  }
  const count = product.is_variable ? Math.max(1, Math.ceil((now - start) / FIXED_RATE_MS)) : 1;
  return { start, length: FIXED_RATE_MS, count, open: true };
}

function rateAt(slots: RateSlots, index: number, kind: RateKind): JsonObject {
  const from = slots.start + index * slots.length;
  const last = slots.open && index === slots.count - 1;
  const withoutVat = slots.length === HALF_HOUR_MS ? halfHourlyRate(from) : BASE_RATES[kind] + index * 4_217;
  return {
    value_exc_vat: withoutVat / 10_000,
    value_inc_vat: Math.round(withoutVat * 1.05) / 10_000,
    valid_from: isoSeconds(from),
    valid_to: last ? null : isoSeconds(from + slots.length),
    payment_method: null,
  };
}

/**
 * Returns a half-hourly rate without VAT, in ten-thousandths of a penny. Rates are high in the early evening and low at
 * night, and sometimes negative after midnight.
 */
function halfHourlyRate(from: number): number {
  const slot = Math.floor(from / HALF_HOUR_MS);
  const hour = (slot % 48) / 2;
  const noise = (Math.imul(slot, 2_654_435_761) >>> 0) / 4_294_967_296;
  const daily = 180_000 - 90_000 * Math.cos(((hour - 4) / 24) * 2 * Math.PI) + (hour >= 16 && hour < 19 ? 120_000 : 0);
  const wind = Math.floor(slot / 48) % 5 === 0 && hour < 6 ? -150_000 : 0;
  return Math.round(daily + wind + noise * 40_000);
}

/** The first rate of each kind, without VAT, in ten-thousandths of a penny. */
const BASE_RATES: Readonly<Record<RateKind, number>> = {
  "standard-unit-rates": 245_000,
  "day-unit-rates": 283_500,
  "night-unit-rates": 128_730,
  "standing-charges": 534_650,
};

interface Paging {
  readonly total: number;
  /** Default number of records per page. */
  readonly size: number;
  /** Maximum accepted `page_size`; absent if the page size is fixed. */
  readonly maxSize?: number;
}

/** Returns the list envelope of API specification 2.1, with absolute URLs of the previous and the next page. */
function pageReply(
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

/** Returns a time in a query; `absent` if the query does not name it, and undefined if it is not valid. */
function timeIn(query: URLSearchParams, name: string, absent: number): number | undefined {
  const text = query.get(name);
  return text === null ? absent : queryTimeMs(text);
}

/**
 * Converts an ISO 8601 date or date-time in a query to milliseconds since 1970. A time without a zone is in
 * Europe/London (API specification 4.2). A local time that occurs twice is read as its first occurrence. A local time
 * that the clocks skip is read as winter time.
 */
function queryTimeMs(text: string): number | undefined {
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
