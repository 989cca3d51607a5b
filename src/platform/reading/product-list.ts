import { z } from "zod";
import { Failure } from "../../model/failure.ts";
import { joinPath } from "../../transport/base-url.ts";
import { MAX_PAGES, type Page, readPages } from "./pagination.ts";
import type { ReadClient } from "./read-client.ts";
import { type Product, PRODUCT_FILTERS, type ProductFilters } from "./received-records.ts";

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

/** The members of a product in the specification (2.2), in display order. */
export const PRODUCT_FIELDS: readonly string[] = Object.keys(schema.shape);

/** Returns the products page by page (`GET /products/`). @throws the failures of `readPages` */
export function productPages(
  client: ReadClient,
  filters: ProductFilters = {},
  maxPages: number = MAX_PAGES,
): AsyncGenerator<Page<Product>, void, undefined> {
  const url = joinPath(client.baseUrl, "products/");
  const given = new Map<string, string | boolean | undefined>(Object.entries(filters));
  for (const filter of Object.keys(PRODUCT_FILTERS)) {
    const value = given.get(filter);
    if (value !== undefined) url.searchParams.set(parameterOf(filter), String(value));
  }
  const missing = new Failure("wrong_endpoint", "there is no list of products at the base URL (HTTP 404)", {
    hint: "check the base URL",
  });
  return readPages(client, { url, what: "the list of products", missing, query: true, schema }, maxPages);
}

/** Returns the query parameter of a filter: `is_green` for `isGreen`. */
function parameterOf(filter: string): string {
  return filter.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
