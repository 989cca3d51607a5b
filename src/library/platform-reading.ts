import { account as readAccountOf } from "../commands/reading/account.ts";
import { products as productPages } from "../commands/reading/products.ts";
import { rates as ratePages } from "../commands/reading/rates.ts";
import type { Account, Product, ProductFilters, RateRequest, UnitRate } from "../platform/reading/received-records.ts";
import { knownError, openCall } from "./call.ts";
import type { CallOptions, Credentials, ReadTargetOptions } from "./run-options.ts";
import { targetSettings } from "./settings-of-options.ts";

export interface ReadPlatformOptions extends Pick<CallOptions, "folder" | "signal" | "onNotice"> {
  readonly target: ReadTargetOptions;
}

export interface ProductsOptions extends ReadPlatformOptions {
  readonly filters?: ProductFilters | undefined;
}

/** The products of a platform; a page is asked for when it is wanted. No credentials. @throws Failure */
export function products(options: ProductsOptions): AsyncGenerator<Product> {
  return reading(options, async function* pages({ target, dependencies }) {
    for await (const { results } of productPages(
      { target, filters: options.filters ?? {}, extent: "all" },
      dependencies,
    )) {
      yield* results;
    }
  });
}

export interface RatesOptions extends ReadPlatformOptions, RateRequest {
  /** The earliest first, in place of the latest: all of them are read before the first is given. */
  readonly chronological?: boolean | undefined;
}

/** The rates of a tariff. No credentials. @throws Failure */
export function rates(options: RatesOptions): AsyncGenerator<UnitRate> {
  const { product, tariff, fuel, kind, from, to, chronological = false } = options;
  const request = { product, tariff, fuel, kind, from, to };
  return reading(options, async function* pages({ target, dependencies }) {
    for await (const { results } of ratePages({ target, request, extent: "all", chronological }, dependencies)) {
      yield* results;
    }
  });
}

export interface AccountOptions extends ReadPlatformOptions {
  readonly credentials?: Credentials | undefined;
  /** The platform's own number of the account. */
  readonly number: string;
}

/** One account as the platform has it. @throws Failure */
export async function readAccount(options: AccountOptions): Promise<Account> {
  const { number, credentials } = options;
  const found = reading({ ...options, credentials }, async function* one({ target, dependencies }) {
    yield await readAccountOf({ target, number }, dependencies);
  });
  for await (const account of found) return account;
  throw new Error("no account");
}

interface Reading {
  readonly target: ReturnType<typeof targetSettings>;
  readonly dependencies: ReturnType<typeof openCall>["dependencies"];
}

async function* reading<T>(
  options: ReadPlatformOptions & { readonly credentials?: Credentials | undefined },
  read: (given: Reading) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const call = openCall(options, options.credentials);
  try {
    const target = targetSettings(options.target, options.folder ?? ".");
    yield* read({ target, dependencies: call.dependencies });
    call.check();
  } catch (error) {
    throw knownError(error);
  } finally {
    call.end();
  }
}
