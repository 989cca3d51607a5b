import { account } from "../../commands/reading/account.ts";
import { products } from "../../commands/reading/products.ts";
import { rates } from "../../commands/reading/rates.ts";
import { token } from "../../commands/reading/token.ts";
import type { TargetSettings } from "../../job/target-connection.ts";
import type { PageSelection } from "../../platform/reading/pagination.ts";
import type { RateRequest, UnitRate } from "../../platform/reading/unit-rates.ts";
import { halfHours } from "../../platform/reading/unit-rates.ts";
import type { RecordFormat } from "../../report/formats/output-format.ts";
import { receivedRecordText } from "../../report/record-formats.ts";
import { rateChart } from "../../report/rate-chart.ts";
import { londonDay, resolveTime } from "../../time/london-time.ts";
import type { Flags } from "../options/options.ts";
import type { ListFlags, ProductFlags, RateFlags, ReadingFlags } from "../options/reading-options.ts";
import type { Context } from "../process/context.ts";
import { withContext } from "../process/context.ts";
import { isTerminal } from "../process/terminal.ts";
import { readSettings, requireTarget } from "../settings/settings.ts";
import { productView, rateView, showRecords } from "../views/reading-view.ts";
import { tokenJson, tokenText } from "../views/token-view.ts";

export function productsAction(flags: ProductFlags): Promise<void> {
  return withContext(flags, async (world) => {
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
    const pages = products({ target, filters, extent }, world.dependencies);
    return showRecords(pages, { view: productView, format: formatOf(flags), extent }, world);
  });
}

export function ratesAction(product: string, tariff: string, flags: RateFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const target = await targetOf(flags);
    const { fuel, kind, chronological = false } = flags;
    const from = momentOf(flags.from, "--from", world);
    const to = momentOf(flags.to, "--to", world);
    const request = { product, tariff, fuel, kind, from, to };
    if (flags.plot === true) return plotDay({ target, request }, world);
    const extent = extentOf(flags, from === undefined ? "first" : "all");
    const pages = rates({ target, request, extent, chronological }, world.dependencies);
    return showRecords(pages, { view: rateView, format: formatOf(flags), extent }, world);
  });
}

export function accountAction(number: string, flags: ReadingFlags): Promise<void> {
  return withContext(flags, async (world) => {
    const target = await targetOf(flags);
    const read = await account({ target, number }, world.dependencies);
    await world.write(receivedRecordText(read, formatOf(flags), world.dependencies.screen.width));
    return 0;
  });
}

async function plotDay(
  { target, request }: { readonly target: TargetSettings; readonly request: RateRequest },
  { dependencies, write }: Context,
): Promise<number> {
  const day = londonDay(request.from ?? new Date(dependencies.clock.now()).toISOString());
  const asked = { ...request, from: day.from, to: day.to };
  const found: UnitRate[] = [];
  for await (const page of rates({ target, request: asked, extent: "all", chronological: true }, dependencies)) {
    found.push(...page.results);
  }
  const bars = halfHours(day, found).map(({ clock, rate }) => ({ clock, value: rate?.value_inc_vat }));
  const title = `${request.tariff}, ${request.kind}, ${day.day}: value_inc_vat, London time`;
  await write(rateChart({ title, bars, width: dependencies.screen.width }));
  return 0;
}

async function targetOf(flags: Flags): Promise<TargetSettings> {
  return requireTarget((await readSettings([], flags, process.cwd())).target, "to read from");
}

function extentOf({ all, page }: ListFlags, otherwise: PageSelection): PageSelection {
  return all === true ? "all" : (page ?? otherwise);
}

function formatOf({ format }: ReadingFlags): RecordFormat {
  return format ?? (isTerminal(process.stdout) ? "text" : "ndjson");
}

/** As it is sent, with its zone; what had to be assumed is said. */
function momentOf(text: string | undefined, name: string, { logger }: Context): string | undefined {
  if (text === undefined) return undefined;
  const { utc, assumed } = resolveTime(text, name);
  if (assumed) logger.notice(`${name} ${text} is read as London time: ${utc}`);
  return utc;
}

export interface TokenFlags extends Flags {
  readonly format: "text" | "json";
  readonly show?: boolean;
}

/** A token that has ended is shown, and ends the command as its use would. */
const EXPIRED_EXIT_CODE = 4;

export function tokenAction(flags: TokenFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, write }) => {
    const { target } = await readSettings([], flags, process.cwd());
    const record = await token(
      { target: requireTarget(target, "to get a token from"), show: flags.show ?? false },
      dependencies,
    );
    await write(flags.format === "json" ? tokenJson(record) : tokenText(record));
    return record.ended ? EXPIRED_EXIT_CODE : 0;
  });
}
