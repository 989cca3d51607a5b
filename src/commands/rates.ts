import { type PageExtent, wantedPages } from "../platform/page-extent.ts";
import type { Page } from "../platform/pages.ts";
import { ratePages, type RateRequest, type UnitRate } from "../platform/rates.ts";
import { inTimeOrder } from "../platform/time-order.ts";
import type { TargetSettings } from "../run/connection.ts";
import { connectToRead, type ReadParts } from "../run/read-connection.ts";

export interface RatesOptions {
  readonly target: TargetSettings;
  readonly request: RateRequest;
  readonly extent: PageExtent;
  /** The earliest first, in place of the latest. */
  readonly chronological: boolean;
}

/** The rates of a tariff, page by page. No credentials. */
export async function* rates(
  { target, request, extent, chronological }: RatesOptions,
  parts: ReadParts,
): AsyncGenerator<Page<UnitRate>, void, undefined> {
  const { client, close } = await connectToRead(target, "anybody", parts);
  try {
    const wanted = wantedPages(ratePages(client, request), extent);
    yield* chronological ? inTimeOrder(wanted) : wanted;
  } finally {
    await close();
  }
}
