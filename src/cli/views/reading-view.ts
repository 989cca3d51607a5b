import type { JsonObject } from "../../json/json-value.ts";
import type { Page, PageSelection } from "../../platform/reading/pagination.ts";
import { PRODUCT_FIELDS } from "../../platform/reading/product-list.ts";
import type { RecordFormat } from "../../report/formats/output-format.ts";
import { type RecordView, recordWriter } from "../../report/record-formats.ts";
import { type LondonTime, londonTime } from "../../time/london-time.ts";
import type { Context } from "../process/context.ts";
import type { Product, UnitRate } from "../../platform/reading/received-records.ts";

/** Writes each page as it arrives, until the reader closes stdout. Notifies the user of further pages. Returns 0. */
export async function showRecords<T extends JsonObject>(
  pages: AsyncIterable<Page<T>>,
  { view, format, extent }: { view: RecordView<T>; format: RecordFormat; extent: PageSelection },
  { dependencies, logger, write, isStdoutOpen }: Context,
): Promise<number> {
  const writer = recordWriter(format, view, { ...dependencies.screen, notice: logger.notice });
  let shown = 0;
  for await (const page of pages) {
    await write(writer.add(page));
    if (!isStdoutOpen()) return 0;
    shown += page.results.length;
    if (extent === "first" && page.hasNext) logger.notice(`${amountOf(shown, page.count)}; --all reads the rest`);
  }
  await write(writer.end());
  if (shown === 0) logger.notice("The platform has no matching entries");
  return 0;
}

function amountOf(shown: number, count: number | undefined): string {
  return count === undefined ? `The first ${shown}` : `The first ${shown} of ${count}`;
}

/** Products: code, name, first and last day in London, and attributes. */
export const productView: RecordView<Product> = {
  columns: [{ title: "code" }, { title: "name" }, { title: "from" }, { title: "until" }, { title: "properties" }],
  cells: (product) => [
    product.code,
    product.display_name ?? product.full_name ?? "",
    dayOf(product.available_from),
    dayOf(product.available_to),
    traits(product).join(", "),
  ],
  members: PRODUCT_FIELDS,
};

function traits(product: Product): readonly string[] {
  const { direction, term } = product;
  return [
    ...(direction === "IMPORT" || !direction ? [] : [direction]),
    ...(typeof term === "number" ? [`${term} months`] : []),
    ...(["green", "variable", "tracker", "prepay", "business", "restricted"] as const).filter(
      (trait) => product[`is_${trait}`] === true,
    ),
  ];
}

function dayOf(time: string | null | undefined): string {
  return formatLondonTime(time, ({ day }) => day);
}

/** Rates: the period in London time, and the values unchanged. */
export const rateView: RecordView<UnitRate> = {
  columns: [
    { title: "from (London)" },
    { title: "to (London)" },
    { title: "exc. VAT", align: "right" },
    { title: "inc. VAT", align: "right" },
    { title: "payment" },
  ],
  cells: ({ valid_from, valid_to, value_exc_vat, value_inc_vat, payment_method }) => [
    timeOf(valid_from),
    timeOf(valid_to),
    value_exc_vat,
    value_inc_vat,
    payment_method ?? "",
  ],
  members: ["value_exc_vat", "value_inc_vat", "valid_from", "valid_to", "payment_method"],
};

function timeOf(time: string | null | undefined): string {
  return formatLondonTime(time, ({ day, clock, zone }) => `${day} ${clock} ${zone}`);
}

/** A time of the platform in London time. Invalid times are shown unchanged; a missing time is an empty text. */
function formatLondonTime(time: string | null | undefined, show: (london: LondonTime) => string): string {
  if (time === null || time === undefined) return "";
  try {
    return show(londonTime(time));
  } catch (error) {
    if (error instanceof RangeError) return time;
    throw error;
  }
}
