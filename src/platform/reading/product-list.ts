import { z } from "zod";
import { Failure } from "../../model/failure.ts";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import { joinPath } from "../../transport/base-url.ts";
import { MAX_PAGES, type Page, readPages } from "./pagination.ts";
import type { ReadClient } from "./read-client.ts";

/**
 * A product (specification 2.2), and whatever else the platform sends of it. A number that a JavaScript number cannot
 * hold is text.
 */
export type Product = JsonObject & {
  readonly code: string;
  /** `IMPORT` and others that the specification does not show. */
  readonly direction?: string | null;
  readonly full_name?: string | null;
  readonly display_name?: string | null;
  readonly description?: string | null;
  readonly is_variable?: boolean | null;
  readonly is_green?: boolean | null;
  readonly is_tracker?: boolean | null;
  readonly is_prepay?: boolean | null;
  readonly is_business?: boolean | null;
  readonly is_restricted?: boolean | null;
  /** Null when the product has no fixed term; otherwise the specification does not show its type. */
  readonly term?: JsonValue;
  /** ISO 8601 with its zone, as `available_to`. */
  readonly available_from?: string | null;
  /** Null when open-ended. */
  readonly available_to?: string | null;
  readonly links?: readonly JsonValue[] | null;
  readonly brand?: string | null;
};

const text = z.string().nullish();
const flag = z.boolean().nullish();
const schema = z.looseObject({
  code: z.string(),
  direction: text,
  full_name: text,
  display_name: text,
  description: text,
  is_variable: flag,
  is_green: flag,
  is_tracker: flag,
  is_prepay: flag,
  is_business: flag,
  is_restricted: flag,
  term: z.unknown().optional(),
  available_from: text,
  available_to: text,
  brand: text,
  links: z.array(z.unknown()).nullish(),
});

/** The members that the specification shows of a product (2.2), in the order in which they are shown. */
export const PRODUCT_FIELDS: readonly string[] = Object.keys(schema.shape);

/** The filters of specification 4.1 and those that instances publish besides. All are optional, and combined. */
export interface ProductFilters {
  readonly brand?: string | undefined;
  readonly isGreen?: boolean | undefined;
  readonly isPrepay?: boolean | undefined;
  readonly isTracker?: boolean | undefined;
  readonly isVariable?: boolean | undefined;
  readonly isBusiness?: boolean | undefined;
  /** Products that are no longer on sale. */
  readonly isHistorical?: boolean | undefined;
  /** ISO 8601 datetime with its zone. */
  readonly availableAt?: string | undefined;
}

/** The products, page by page; `GET /products/`. @throws Failure as `pages` does */
export function productPages(
  client: ReadClient,
  filters: ProductFilters = {},
  mostPages: number = MAX_PAGES,
): AsyncGenerator<Page<Product>, void, undefined> {
  const url = joinPath(client.baseUrl, "products/");
  for (const [filter, name] of Object.entries(QUERY_PARAMETERS)) {
    const value = Object.entries(filters).find(([known]) => known === filter)?.[1];
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return readPages(
    client,
    {
      url,
      what: "the list of products",
      missing: noProducts(),
      query: true,
      isRecord: (value): value is Product => schema.safeParse(value).success,
    },
    mostPages,
  );
}

const QUERY_PARAMETERS: Readonly<Record<keyof ProductFilters, string>> = {
  brand: "brand",
  isGreen: "is_green",
  isPrepay: "is_prepay",
  isTracker: "is_tracker",
  isVariable: "is_variable",
  isBusiness: "is_business",
  isHistorical: "is_historical",
  availableAt: "available_at",
};

function noProducts(): Failure {
  return new Failure("wrong_endpoint", "there is no list of products at the base URL (HTTP 404)", {
    hint: "check the base URL",
  });
}
