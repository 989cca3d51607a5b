import { z } from "zod";
import { Failure } from "../../model/failure.ts";
import { type LondonDay, londonTime } from "../../time/london-time.ts";
import { joinPath, pathSegment } from "../../transport/base-url.ts";
import { type Page, readPages } from "./pagination.ts";
import type { RateKind } from "./rate-kinds.ts";
import { type ReadClient, wrongReply } from "./read-client.ts";
import type { RateRequest, UnitRate } from "./received-records.ts";

const RATE_LISTS: Readonly<Record<RateKind, string>> = {
  standard: "standard-unit-rates",
  day: "day-unit-rates",
  night: "night-unit-rates",
  standing: "standing-charges",
};

/**
 * Returns the rates of a tariff (specification 4.2), page by page, latest `valid_from` first.
 * @throws Failure `usage` for a code that cannot be part of a URL path; `not_found`; the failures of `readPages`
 */
export function ratePages(client: ReadClient, request: RateRequest): AsyncGenerator<Page<UnitRate>, void, undefined> {
  const product = pathSegment(request.product, "the product code");
  const tariff = pathSegment(request.tariff, "the tariff code");
  const list = RATE_LISTS[request.kind];
  const url = joinPath(client.baseUrl, `products/${product}/${request.fuel}-tariffs/${tariff}/${list}/`);
  if (request.from !== undefined) url.searchParams.set("period_from", request.from);
  if (request.to !== undefined) url.searchParams.set("period_to", request.to);
  const what = `the ${list} of ${request.tariff}`;
  const of = `${request.fuel} tariff ${request.tariff} in product ${request.product}`;
  const missing = new Failure("not_found", `the platform has no ${list} for ${of}`, {
    hint: "check the product, the tariff, --fuel and --kind; `migrate products` lists the products",
  });
  return readPages(client, { url, what, missing, query: true, schema, decimals });
}

const decimals: ReadonlySet<string> = new Set(["value_exc_vat", "value_inc_vat"]);

const text = z.string().nullish();
const decimal = z.string().regex(/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/);
const schema = z.looseObject({
  value_exc_vat: decimal,
  value_inc_vat: decimal,
  valid_from: z.string(),
  valid_to: text,
  payment_method: text,
});

/** A half hour of a day in London. */
interface HalfHour {
  /** `HH:MM` at the start of the half hour. On the day of the autumn change, two half hours have the same time. */
  readonly clock: string;
  /** As in `LondonTime`. */
  readonly zone: string;
  /** The rates that are valid during this half hour or a part of it, in the order of the list. */
  readonly rates: readonly UnitRate[];
}

const HALF_HOUR_MS = 1_800_000;

/**
 * Returns the half hours of a day (46 or 50 if the clocks change), each with its rates.
 * @throws Failure `wrong_endpoint` for a rate with an invalid time
 */
export function halfHours({ from, to }: LondonDay, rates: readonly UnitRate[]): readonly HalfHour[] {
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const spans = rates.map((rate) => ({
    rate,
    from: momentOf(rate.valid_from),
    to: rate.valid_to === undefined || rate.valid_to === null ? Infinity : momentOf(rate.valid_to),
  }));
  if (spans.some((span) => Number.isNaN(span.from + span.to)))
    throw wrongReply("the rates", "contains an invalid time, or a time without a zone");
  return Array.from({ length: (end - start) / HALF_HOUR_MS }, (_, index) => {
    const at = start + index * HALF_HOUR_MS;
    const valid = spans.filter((one) => one.from < at + HALF_HOUR_MS && at < one.to);
    const { clock, zone } = londonTime(new Date(at).toISOString());
    return { clock, zone, rates: valid.map(({ rate }) => rate) };
  });
}

/** `Date.parse` would read a time without a zone as a time in the zone of this machine. */
function momentOf(time: string): number {
  return ZONED.test(time) ? Date.parse(time) : Number.NaN;
}

const ZONED = /T.*(?:Z|[-+]\d{2}:?\d{2})$/i;
