import type { PlatformEnvironment } from "../../job/dependencies.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import { connectToRead } from "../../job/target-connection.ts";
import { type Page, type PageSelection, inTimeOrder, selectedPages } from "../../platform/reading/pagination.ts";
import { productPages } from "../../platform/reading/product-list.ts";
import { readAccount } from "../../platform/reading/read-client.ts";
import type {
  Account,
  Product,
  ProductFilters,
  RateRequest,
  UnitRate,
} from "../../platform/reading/received-records.ts";
import { ratePages } from "../../platform/reading/unit-rates.ts";

interface PagesOptions {
  readonly target: TargetSettings;
  readonly extent: PageSelection;
}

export interface RatesOptions extends PagesOptions {
  readonly request: RateRequest;
  /** Whether to return the earliest rates first instead of the latest. */
  readonly chronological: boolean;
}

/** Yields the rates of a tariff, page by page. Needs no credentials. */
export async function* rates(
  { target, request, extent, chronological }: RatesOptions,
  dependencies: PlatformEnvironment,
): AsyncGenerator<Page<UnitRate>, void, undefined> {
  const { client, close } = await connectToRead(target, "public", dependencies);
  try {
    const wanted = selectedPages(ratePages(client, request), extent);
    yield* chronological ? inTimeOrder(wanted) : wanted;
  } finally {
    await close();
  }
}

/** Yields the products of a platform, page by page. Needs no credentials. */
export async function* products(
  { target, filters, extent }: PagesOptions & { readonly filters: ProductFilters },
  dependencies: PlatformEnvironment,
): AsyncGenerator<Page<Product>, void, undefined> {
  const { client, close } = await connectToRead(target, "public", dependencies);
  try {
    yield* selectedPages(productPages(client, filters), extent);
  } finally {
    await close();
  }
}

/** Returns one account as stored on the platform. Requires credentials. */
export async function account(
  { target, number }: { readonly target: TargetSettings; readonly number: string },
  dependencies: PlatformEnvironment,
): Promise<Account> {
  const { client, close } = await connectToRead(target, "account-holder", dependencies);
  try {
    return await readAccount(client, number);
  } finally {
    await close();
  }
}
