import { type Page, type PageSelection, selectedPages } from "../../platform/reading/pagination.ts";
import { productPages } from "../../platform/reading/product-list.ts";
import { connectToRead, type ReadDependencies } from "../../job/target-connection.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import type { Product, ProductFilters } from "../../platform/reading/received-records.ts";

export interface ProductsOptions {
  readonly target: TargetSettings;
  readonly filters: ProductFilters;
  readonly extent: PageSelection;
}

/** Yields the products of a platform, page by page. Needs no credentials. */
export async function* products(
  { target, filters, extent }: ProductsOptions,
  dependencies: ReadDependencies,
): AsyncGenerator<Page<Product>, void, undefined> {
  const { client, close } = await connectToRead(target, "public", dependencies);
  try {
    yield* selectedPages(productPages(client, filters), extent);
  } finally {
    await close();
  }
}
