import { z } from "zod";
import { Failure } from "../model/failure.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import { joinPath } from "../transport/base-url.ts";
import { MOST_PAGES, type Page, pages } from "./pages.ts";
import { pathSegment } from "./path-segment.ts";
import type { Fuel, RateKind } from "./rate-kinds.ts";
import type { ReadClient } from "./read-client.ts";

/**
 * A rate (specification 2.3), and whatever else the platform sends of it. The values are decimal text with every digit
 * that was sent, `-3.0150`.
 */
export type UnitRate = JsonObject & {
  readonly value_exc_vat: string;
  readonly value_inc_vat: string;
  /** ISO 8601 with its zone. */
  readonly valid_from: string;
  /** Null when it has no end yet. */
  readonly valid_to?: string | null;
  readonly payment_method?: string | null;
};

export interface RateRequest {
  readonly product: string;
  readonly tariff: string;
  readonly fuel: Fuel;
  readonly kind: RateKind;
  /** ISO 8601 datetime with its zone; rates that are valid then or later. */
  readonly from?: string | undefined;
  /** The end of the period, which does not belong to it. */
  readonly to?: string | undefined;
}

const LISTS: Readonly<Record<RateKind, string>> = {
  standard: "standard-unit-rates",
  day: "day-unit-rates",
  night: "night-unit-rates",
  standing: "standing-charges",
};

/**
 * The rates of a tariff (specification 4.2), page by page, those with the latest `valid_from` first.
 * @throws Failure `usage` for a code that cannot stand in an address; `not_found`; as `pages` does
 */
export function ratePages(
  client: ReadClient,
  request: RateRequest,
  mostPages: number = MOST_PAGES,
): AsyncGenerator<Page<UnitRate>, void, undefined> {
  const product = pathSegment(request.product, "the product code");
  const tariff = pathSegment(request.tariff, "the tariff code");
  const list = LISTS[request.kind];
  const url = joinPath(client.baseUrl, `products/${product}/${request.fuel}-tariffs/${tariff}/${list}/`);
  if (request.from !== undefined) url.searchParams.set("period_from", request.from);
  if (request.to !== undefined) url.searchParams.set("period_to", request.to);
  const what = `the ${list} of ${request.tariff}`;
  return pages(
    client,
    { url, what, missing: noRates(list, request), query: true, isRecord: isUnitRate, decimals },
    mostPages,
  );
}

const decimals: ReadonlySet<string> = new Set(["value_exc_vat", "value_inc_vat"]);

function noRates(list: string, { product, tariff, fuel }: RateRequest): Failure {
  return new Failure("not_found", `the platform has no ${list} of ${fuel} tariff ${tariff} in product ${product}`, {
    hint: "check product, tariff, --fuel and --kind; `migrate products` lists the products",
  });
}

const text = z.string().nullish();
const decimal = z.string().regex(/^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/);
const schema = z.looseObject({
  value_exc_vat: decimal,
  value_inc_vat: decimal,
  valid_from: z.string(),
  valid_to: text,
  payment_method: text,
});

function isUnitRate(value: JsonValue): value is UnitRate {
  return schema.safeParse(value).success;
}
