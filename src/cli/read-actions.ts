import { account } from "../commands/account.ts";
import { products } from "../commands/products.ts";
import { rates } from "../commands/rates.ts";
import { halfHours } from "../platform/half-hours.ts";
import { londonDay, resolveTime } from "../platform/london-time.ts";
import type { PageExtent } from "../platform/page-extent.ts";
import type { RateRequest, UnitRate } from "../platform/rates.ts";
import { openRecordText } from "../report/open-record.ts";
import { ratePlot } from "../report/rate-plot.ts";
import type { RecordFormat } from "../report/format.ts";
import type { TargetSettings } from "../run/connection.ts";
import type { Flags } from "./flags.ts";
import { inWorld } from "./in-world.ts";
import { namedTarget } from "./named-target.ts";
import { productView } from "./product-view.ts";
import { rateView } from "./rate-view.ts";
import type { ListFlags, ProductFlags, RateFlags, ReadFlags } from "./read-flags.ts";
import { showRecords } from "./record-output.ts";
import { readSettings } from "./settings.ts";
import { isTerminal } from "./terminal.ts";
import type { World } from "./world.ts";

export function productsAction(flags: ProductFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const target = await targetOf(flags);
    const { brand, green, prepay, tracker, variable, business, historical, availableAt } = flags;
    const filters = {
      brand,
      isGreen: green,
      isPrepay: prepay,
      isTracker: tracker,
      isVariable: variable,
      isBusiness: business,
      isHistorical: historical,
      availableAt: momentOf(availableAt, "--available-at", world),
    };
    const extent = extentOf(flags, "first");
    const pages = products({ target, filters, extent }, world.parts);
    return showRecords(pages, { view: productView, format: formatOf(flags), extent }, world);
  });
}

export function ratesAction(product: string, tariff: string, flags: RateFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const target = await targetOf(flags);
    const { fuel, kind, chronological = false } = flags;
    const from = momentOf(flags.from, "--from", world);
    const to = momentOf(flags.to, "--to", world);
    const request = { product, tariff, fuel, kind, from, to };
    if (flags.plot === true) return plotDay({ target, request }, world);
    const extent = extentOf(flags, from === undefined ? "first" : "all");
    const pages = rates({ target, request, extent, chronological }, world.parts);
    return showRecords(pages, { view: rateView, format: formatOf(flags), extent }, world);
  });
}

export function accountAction(number: string, flags: ReadFlags): Promise<void> {
  return inWorld(flags, async (world) => {
    const target = await targetOf(flags);
    const read = await account({ target, number }, world.parts);
    await world.write(openRecordText(read, formatOf(flags), world.parts.screen.width));
    return 0;
  });
}

async function plotDay(
  { target, request }: { readonly target: TargetSettings; readonly request: RateRequest },
  { parts, write }: World,
): Promise<number> {
  const day = londonDay(request.from ?? new Date(parts.clock.now()).toISOString());
  const asked = { ...request, from: day.from, to: day.to };
  const found: UnitRate[] = [];
  for await (const page of rates({ target, request: asked, extent: "all", chronological: true }, parts)) {
    found.push(...page.results);
  }
  const bars = halfHours(day, found).map(({ clock, rate }) => ({ clock, value: rate?.value_inc_vat }));
  const title = `${request.tariff}, ${request.kind}, ${day.day}: value_inc_vat, London time`;
  await write(ratePlot({ title, bars, width: parts.screen.width }));
  return 0;
}

async function targetOf(flags: Flags): Promise<TargetSettings> {
  return namedTarget((await readSettings([], flags, process.cwd())).target, "to read from");
}

function extentOf({ all, page }: ListFlags, otherwise: PageExtent): PageExtent {
  return all === true ? "all" : (page ?? otherwise);
}

function formatOf({ format }: ReadFlags): RecordFormat {
  return format ?? (isTerminal(process.stdout) ? "text" : "ndjson");
}

/** As it is sent, with its zone; what had to be assumed is said. */
function momentOf(text: string | undefined, name: string, { talk }: World): string | undefined {
  if (text === undefined) return undefined;
  const { utc, assumed } = resolveTime(text, name);
  if (assumed) talk.notice(`${name} ${text} is read as London time: ${utc}`);
  return utc;
}
