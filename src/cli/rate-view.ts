import type { UnitRate } from "../platform/rates.ts";
import type { RecordView } from "../report/record-formats.ts";
import { shownTime } from "./shown-time.ts";

/** Rates: the period by the clocks of London, and the values as they were sent. */
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
  return shownTime(time, ({ day, clock, zone }) => `${day} ${clock} ${zone}`);
}
