import { inTimeOrder, type Page, type PageSelection, selectedPages } from "../../platform/reading/pagination.ts";
import { ratePages } from "../../platform/reading/unit-rates.ts";
import { connectToRead, type ReadDependencies } from "../../job/target-connection.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import type { RateRequest, UnitRate } from "../../platform/reading/received-records.ts";

export interface RatesOptions {
  readonly target: TargetSettings;
  readonly request: RateRequest;
  readonly extent: PageSelection;
  /** Whether to return the earliest rates first instead of the latest. */
  readonly chronological: boolean;
}

/** Yields the rates of a tariff, page by page. Needs no credentials. */
export async function* rates(
  { target, request, extent, chronological }: RatesOptions,
  dependencies: ReadDependencies,
): AsyncGenerator<Page<UnitRate>, void, undefined> {
  const { client, close } = await connectToRead(target, "public", dependencies);
  try {
    const wanted = selectedPages(ratePages(client, request), extent);
    yield* chronological ? inTimeOrder(wanted) : wanted;
  } finally {
    await close();
  }
}
