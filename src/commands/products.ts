import { type PageExtent, wantedPages } from "../platform/page-extent.ts";
import type { Page } from "../platform/pages.ts";
import { type Product, type ProductFilters, productPages } from "../platform/products.ts";
import type { TargetSettings } from "../run/connection.ts";
import { connectToRead, type ReadParts } from "../run/read-connection.ts";

export interface ProductsOptions {
  readonly target: TargetSettings;
  readonly filters: ProductFilters;
  readonly extent: PageExtent;
}

/** The products of a platform, page by page. No credentials. */
export async function* products(
  { target, filters, extent }: ProductsOptions,
  parts: ReadParts,
): AsyncGenerator<Page<Product>, void, undefined> {
  const { client, close } = await connectToRead(target, "anybody", parts);
  try {
    yield* wantedPages(productPages(client, filters), extent);
  } finally {
    await close();
  }
}
