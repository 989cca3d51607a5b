import type { JsonObject } from "../model/json.ts";
import { findTariff, isHalfHourly, type Tariff } from "./catalogue.ts";
import { momentMs } from "./london-time.ts";
import { page } from "./page.ts";
import { invalidQuery } from "./product-reads.ts";
import { type Handler, NOT_FOUND, type PlatformRequest, type Reply } from "./reply.ts";

type Kind = "standard-unit-rates" | "day-unit-rates" | "night-unit-rates" | "standing-charges";

interface RateList {
  readonly fuel: Tariff["fuel"];
  readonly kind: Kind;
}

/** The lists of rates that there are. */
export const RATE_KINDS: readonly RateList[] = [
  { fuel: "electricity", kind: "standard-unit-rates" },
  { fuel: "electricity", kind: "day-unit-rates" },
  { fuel: "electricity", kind: "night-unit-rates" },
  { fuel: "electricity", kind: "standing-charges" },
  { fuel: "gas", kind: "standard-unit-rates" },
  { fuel: "gas", kind: "standing-charges" },
];

const PAGE = { size: 100, mostSize: 1500 };
const HALF_HOUR_MS = 1_800_000;
const DAY_MS = 86_400_000;
/** Rates that are not half-hourly change once in this time. */
const SPAN_MS = 91 * DAY_MS;

/** Specification 4.2 and its sisters: rates of the period, the latest first; an end without a beginning is refused. */
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
    const total = offers(tariff, kind) ? Math.max(0, end - first) : 0;
    return page(request, { total, ...PAGE }, (from, to) =>
      Array.from({ length: to - from }, (_, index) => rate(slots, end - 1 - from - index, kind)),
    );
  };
}

type Asked = { readonly from: number; readonly to: number } | { readonly refused: Reply };

function periodOf({ query }: PlatformRequest): Asked {
  const from = query.has("period_from") ? momentMs(query.get("period_from") ?? "") : -Infinity;
  const to = query.has("period_to") ? momentMs(query.get("period_to") ?? "") : Infinity;
  if (from === undefined) return { refused: invalidQuery("period_from", "Enter a valid date/time.") };
  if (to === undefined) return { refused: invalidQuery("period_to", "Enter a valid date/time.") };
  if (query.has("period_to") && !query.has("period_from")) {
    return { refused: invalidQuery("period_from", "This field is required when period_to is given.") };
  }
  return { from, to };
}

function offers({ registers }: Tariff, kind: Kind): boolean {
  if (kind === "standing-charges") return true;
  return (kind === "standard-unit-rates") === (registers === 1);
}

/** Equal stretches of time, each with its rate. */
interface Slots {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly length: number;
  readonly count: number;
  /** The last slot has no end yet. */
  readonly open: boolean;
}

function slotsOf({ product }: Tariff, kind: Kind, now: number): Slots {
  const start = Date.parse(product.available_from);
  if (kind === "standard-unit-rates" && isHalfHourly(product)) {
    // Tomorrow's rates are known today.
    const end = Math.floor(now / DAY_MS + 2) * DAY_MS;
    return { start, length: HALF_HOUR_MS, count: Math.max(0, Math.floor((end - start) / HALF_HOUR_MS)), open: false };
  }
  const count = product.is_variable ? Math.max(1, Math.ceil((now - start) / SPAN_MS)) : 1;
  return { start, length: SPAN_MS, count, open: true };
}

function rate(slots: Slots, index: number, kind: Kind): JsonObject {
  const from = slots.start + index * slots.length;
  const last = slots.open && index === slots.count - 1;
  const withoutVat = slots.length === HALF_HOUR_MS ? halfHourlyPence(from) : steadyPence(kind, index);
  return {
    value_exc_vat: withoutVat / 10_000,
    value_inc_vat: Math.round(withoutVat * 1.05) / 10_000,
    valid_from: isoSeconds(from),
    valid_to: last ? null : isoSeconds(from + slots.length),
    payment_method: null,
  };
}

/** In ten-thousandths of a penny: dear at tea time, cheap at night, below zero in some windy small hours. */
function halfHourlyPence(from: number): number {
  const slot = Math.floor(from / HALF_HOUR_MS);
  const hour = (slot % 48) / 2;
  const noise = (Math.imul(slot, 2_654_435_761) >>> 0) / 4_294_967_296;
  const daily = 180_000 - 90_000 * Math.cos(((hour - 4) / 24) * 2 * Math.PI) + (hour >= 16 && hour < 19 ? 120_000 : 0);
  const wind = Math.floor(slot / 48) % 5 === 0 && hour < 6 ? -150_000 : 0;
  return Math.round(daily + wind + noise * 40_000);
}

const BASE_PENCE: Readonly<Record<Kind, number>> = {
  "standard-unit-rates": 245_000,
  "day-unit-rates": 283_500,
  "night-unit-rates": 128_730,
  "standing-charges": 534_650,
};

function steadyPence(kind: Kind, index: number): number {
  return BASE_PENCE[kind] + index * 4_217;
}

function isoSeconds(moment: number): string {
  return new Date(moment).toISOString().replace(".000Z", "Z");
}
