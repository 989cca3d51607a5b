import { account, products, rates } from "../../commands/reading/read-platform.ts";
import { token } from "../../commands/reading/token.ts";
import type { PageSelection } from "../../platform/reading/pagination.ts";
import { halfHours } from "../../platform/reading/unit-rates.ts";
import type { RecordFormat } from "../../report/formats/output-format.ts";
import { receivedRecordText } from "../../report/record-formats.ts";
import { rateChart } from "../../report/rate-chart.ts";
import { timestamp } from "../../time/clock.ts";
import { londonDay, resolveTime } from "../../time/london-time.ts";
import type { Flags } from "../options/options.ts";
import type { ListFlags, ProductFlags, RateFlags, ReadingFlags, TokenFlags } from "../options/reading-options.ts";
import { type Context, withSettings } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { isTerminal } from "../process/terminal.ts";
import { requireTarget } from "../../job/settings/platform-settings.ts";
import { productView, rateView, showRecords, tokenView } from "../views/reading-view.ts";
import { show } from "../views/view.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import type { RateRequest, UnitRate } from "../../platform/reading/received-records.ts";
import { Failure, FAILURES } from "../../model/failure.ts";

export function productsAction(session: Session, flags: ProductFlags): Promise<void> {
  return withTarget(session, flags, async (target, context) => {
    const { brand, green, prepay, tracker, variable, business, historical, availableAt } = flags;
    const filters = {
      brand,
      isGreen: green,
      isPrepay: prepay,
      isTracker: tracker,
      isVariable: variable,
      isBusiness: business,
      isHistorical: historical,
      availableAt: timeOf(availableAt, "--available-at", context),
    };
    const extent = extentOf(flags, "first");
    const pages = products({ target, filters, extent }, context.dependencies);
    return showRecords(pages, { view: productView, format: formatOf(flags, session), extent }, context);
  });
}

export function ratesAction(session: Session, product: string, tariff: string, flags: RateFlags): Promise<void> {
  return withTarget(session, flags, async (target, context) => {
    const { fuel, kind, chronological = false } = flags;
    const from = timeOf(flags.from, "--from", context);
    const to = timeOf(flags.to, "--to", context);
    if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to)) {
      throw new Failure("usage", "--from is after --to", {
        hint: "--from is the start of the period, and --to is its end",
      });
    }
    const request = { product, tariff, fuel, kind, from, to };
    if (flags.plot === true) return plotDay({ target, request }, context);
    const extent = extentOf(flags, from === undefined ? "first" : "all");
    const pages = rates({ target, request, extent, chronological }, context.dependencies);
    return showRecords(pages, { view: rateView, format: formatOf(flags, session), extent }, context);
  });
}

export function accountAction(session: Session, number: string, flags: ReadingFlags): Promise<void> {
  return withTarget(session, flags, async (target, context) => {
    const read = await account({ target, number }, context.dependencies);
    await context.write(receivedRecordText(read, formatOf(flags, session), context.dependencies.screen.width));
    return 0;
  });
}

async function plotDay(
  { target, request }: { readonly target: TargetSettings; readonly request: RateRequest },
  { dependencies, logger, write }: Context,
): Promise<number> {
  const day = londonDay(request.from ?? timestamp(dependencies.clock));
  const dayRequest = { ...request, from: day.from, to: day.to };
  const found: UnitRate[] = [];
  for await (const page of rates({ target, request: dayRequest, extent: "all", chronological: true }, dependencies)) {
    found.push(...page.results);
  }
  const hours = halfHours(day, found);
  const shared = hours.find((hour) => hour.rates.length > 1);
  if (shared !== undefined) {
    const listed = shared.rates.map(
      (rate) => rate.value_inc_vat + (rate.payment_method ? ` (${rate.payment_method})` : ""),
    );
    logger.notice(
      `The chart shows one rate per half hour, but several are valid from ${shared.clock}: ${listed.join(", ")}`,
    );
  }
  const bars = hours.map(({ clock, zone, rates: [rate] }) => ({ clock, zone, value: rate?.value_inc_vat }));
  const title = `${request.tariff}, ${request.kind}, ${day.day}: value_inc_vat, London time`;
  await write(rateChart({ title, bars, width: dependencies.screen.width }));
  return 0;
}

function withTarget(
  session: Session,
  flags: Flags,
  action: (target: TargetSettings, context: Context) => Promise<number>,
): Promise<void> {
  return withSettings(session, [], flags, async ({ target }, context) =>
    action(requireTarget(target, "to read from"), context),
  );
}

function extentOf({ all, page }: ListFlags, otherwise: PageSelection): PageSelection {
  return all === true ? "all" : (page ?? otherwise);
}

function formatOf({ format }: ReadingFlags, { stdout }: Session): RecordFormat {
  return format ?? (isTerminal(stdout) ? "text" : "ndjson");
}

/**
 * Returns the time in UTC, in the format that the platform expects. Logs a notice if the time had no zone and London
 * time was assumed.
 */
function timeOf(text: string | undefined, name: string, { logger }: Context): string | undefined {
  if (text === undefined) return undefined;
  const { utc, assumed } = resolveTime(text, name);
  if (assumed) logger.notice(`${name} ${text} is read as London time: ${utc}`);
  return utc;
}

export function tokenAction(session: Session, flags: TokenFlags): Promise<void> {
  return withSettings(session, [], flags, async (settings, context) => {
    const target = requireTarget(settings.target, "to get a token from");
    const record = await token({ target, show: flags.show ?? false }, context.dependencies);
    await show(tokenView, record, flags, context);
    // A command that uses an expired token exits with the same code.
    return record.ended ? FAILURES.authentication : 0;
  });
}
