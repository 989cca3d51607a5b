import type { TargetSettings } from "../job/settings/platform-settings.ts";
import {
  account as readAccountOf,
  products as productPages,
  rates as ratePages,
} from "../commands/reading/read-platform.ts";
import { FUELS, RATE_KINDS } from "../platform/reading/rate-kinds.ts";
import {
  type Account,
  type Product,
  PRODUCT_FILTERS,
  type ProductFilters,
  type RateRequest,
  type UnitRate,
} from "../platform/reading/received-records.ts";
import { knownError, openCall } from "./call.ts";
import {
  type CallOptions,
  type Credentials,
  type OptionKinds,
  type ReadTargetOptions,
  requireCredentials,
  requireOptions,
  requireReadTarget,
} from "./run-options.ts";
import { targetSettings } from "./settings-of-options.ts";
import type { Dependencies } from "../job/dependencies.ts";

export interface ReadPlatformOptions extends Pick<CallOptions, "folder" | "signal" | "onNotice"> {
  readonly target: ReadTargetOptions;
}

export interface ProductsOptions extends ReadPlatformOptions {
  readonly filters?: ProductFilters | undefined;
}

/**
 * Yields the products of a platform. Requests each page on demand. Needs no credentials.
 * @throws Failure
 */
export function products(options: ProductsOptions): AsyncGenerator<Product> {
  requireOptions(options, PRODUCTS, "products");
  const { filters = {} } = options;
  return reading("products", options, async function* pages(target, dependencies) {
    for await (const { results } of productPages({ target, filters, extent: "all" }, dependencies)) yield* results;
  });
}

export interface RatesOptions extends ReadPlatformOptions, RateRequest {
  /** Whether to yield the earliest rates first. If so, all rates are read before the first rate is yielded. */
  readonly chronological?: boolean | undefined;
}

/**
 * Yields the rates of a tariff. Needs no credentials.
 * @throws Failure
 */
export function rates(options: RatesOptions): AsyncGenerator<UnitRate> {
  requireOptions(options, RATES, "rates");
  const { product, tariff, fuel, kind, from, to, chronological = false } = options;
  const request = { product, tariff, fuel, kind, from, to };
  return reading("rates", options, async function* pages(target, dependencies) {
    for await (const { results } of ratePages({ target, request, extent: "all", chronological }, dependencies)) {
      yield* results;
    }
  });
}

export interface AccountOptions extends ReadPlatformOptions {
  readonly credentials?: Credentials | undefined;
  /** The account number that the platform assigned. */
  readonly number: string;
}

/**
 * Returns one account as stored on the platform.
 * @throws Failure
 */
export async function readAccount(options: AccountOptions): Promise<Account> {
  requireOptions(options, ACCOUNT, "readAccount");
  const { number } = options;
  const found = reading("readAccount", options, async function* one(target, dependencies) {
    yield await readAccountOf({ target, number }, dependencies);
  });
  for await (const account of found) return account;
  throw new Error("no account");
}

const READ: OptionKinds<ReadPlatformOptions> = {
  folder: { kind: "text" },
  signal: { kind: "signal" },
  onNotice: { kind: "function" },
  target: { kind: "object" },
};

const PRODUCTS: OptionKinds<ProductsOptions> = { ...READ, filters: { members: PRODUCT_FILTERS } };

const RATES: OptionKinds<RatesOptions> = {
  ...READ,
  product: { kind: "text", library: "required" },
  tariff: { kind: "text", library: "required" },
  fuel: { choices: FUELS, library: "required" },
  kind: { choices: RATE_KINDS, library: "required" },
  from: { kind: "text" },
  to: { kind: "text" },
  chronological: { kind: "switch" },
};

const ACCOUNT: OptionKinds<AccountOptions> = {
  ...READ,
  credentials: { kind: "object" },
  number: { kind: "text", library: "required" },
};

async function* reading<T>(
  name: string,
  options: ReadPlatformOptions & { readonly credentials?: Credentials | undefined },
  read: (target: TargetSettings, dependencies: Dependencies) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  requireReadTarget(options.target, name);
  requireCredentials(options.credentials, name);
  const call = openCall(options, options.credentials);
  try {
    const target = targetSettings(options.target, options.folder ?? ".");
    yield* read(target, call.dependencies);
    await call.check();
  } catch (error) {
    throw knownError(error);
  } finally {
    call.end();
  }
}
