import { account as readAccountOf } from "../commands/reading/account.ts";
import { products as productPages } from "../commands/reading/products.ts";
import { rates as ratePages } from "../commands/reading/rates.ts";
import type { Account, Product, ProductFilters, RateRequest, UnitRate } from "../platform/reading/received-records.ts";
import { knownError, openCall } from "./call.ts";
import { type OptionKinds, requireOptions } from "./check-options.ts";
import { requireCredentials, requireTargetOptions } from "./option-kinds.ts";
import type { CallOptions, Credentials, ReadTargetOptions } from "./run-options.ts";
import { targetSettings } from "./settings-of-options.ts";

export interface ReadPlatformOptions extends Pick<CallOptions, "folder" | "signal" | "onNotice"> {
  readonly target: ReadTargetOptions;
}

export interface ProductsOptions extends ReadPlatformOptions {
  readonly filters?: ProductFilters | undefined;
}

/** The products of a platform; each page is requested on demand. Needs no credentials. @throws Failure */
export function products(options: ProductsOptions): AsyncGenerator<Product> {
  requireOptions(options, PRODUCTS, { where: "products" });
  const { filters = {} } = options;
  return reading("products", options, async function* pages({ target, dependencies }) {
    for await (const { results } of productPages({ target, filters, extent: "all" }, dependencies)) yield* results;
  });
}

export interface RatesOptions extends ReadPlatformOptions, RateRequest {
  /** Oldest first instead of latest first; all rates are read before the first one is returned. */
  readonly chronological?: boolean | undefined;
}

/** The rates of a tariff. Needs no credentials. @throws Failure */
export function rates(options: RatesOptions): AsyncGenerator<UnitRate> {
  requireOptions(options, RATES, { where: "rates", required: ["product", "tariff", "fuel", "kind"] });
  const { product, tariff, fuel, kind, from, to, chronological = false } = options;
  const request = { product, tariff, fuel, kind, from, to };
  return reading("rates", options, async function* pages({ target, dependencies }) {
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

/** One account as stored on the platform. @throws Failure */
export async function readAccount(options: AccountOptions): Promise<Account> {
  requireOptions(options, ACCOUNT, { where: "readAccount", required: ["number"] });
  const { number } = options;
  const found = reading("readAccount", options, async function* one({ target, dependencies }) {
    yield await readAccountOf({ target, number }, dependencies);
  });
  for await (const account of found) return account;
  throw new Error("no account");
}

const READ: OptionKinds<ReadPlatformOptions> = {
  folder: "a string",
  signal: "an AbortSignal",
  onNotice: "a function",
  target: "settings by name",
};

const PRODUCTS: OptionKinds<ProductsOptions> = { ...READ, filters: "settings by name" };

const RATES: OptionKinds<RatesOptions> = {
  ...READ,
  product: "a string",
  tariff: "a string",
  fuel: '"electricity" or "gas"',
  kind: '"standard", "day", "night" or "standing"',
  from: "a string",
  to: "a string",
  chronological: "true or false",
};

const ACCOUNT: OptionKinds<AccountOptions> = { ...READ, credentials: "settings by name", number: "a string" };

interface Reading {
  readonly target: ReturnType<typeof targetSettings>;
  readonly dependencies: ReturnType<typeof openCall>["dependencies"];
}

async function* reading<T>(
  name: string,
  options: ReadPlatformOptions & { readonly credentials?: Credentials | undefined },
  read: (given: Reading) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  requireTargetOptions(options.target, name, ["baseUrl"]);
  requireCredentials(options.credentials, name);
  const call = openCall(options, options.credentials);
  try {
    const target = targetSettings(options.target, options.folder ?? ".");
    yield* read({ target, dependencies: call.dependencies });
    await call.check();
  } catch (error) {
    throw knownError(error);
  } finally {
    call.end();
  }
}
