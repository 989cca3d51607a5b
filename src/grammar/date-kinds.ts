import { flag, reader, type KindReaders } from "./kind-reader.ts";
import { days, expression } from "./rule-parts.ts";

/** How dates lie to each other, and to the clock. */
export const DATE_KINDS: KindReaders<"date-order" | "not-future" | "not-past"> = {
  "date-order": reader({ earlier: expression, later: expression, strict: flag() }, ({ earlier, later, strict }) => ({
    check: { kind: "date-order", earlier, later, strict },
    about: [earlier, later],
  })),
  "not-future": reader({ value: expression, limit: days.default(0) }, ({ value, limit }) => ({
    check: { kind: "not-future", value, limitDays: limit },
    about: [value],
  })),
  "not-past": reader({ value: expression, limit: days.default(0) }, ({ value, limit }) => ({
    check: { kind: "not-past", value, limitDays: limit },
    about: [value],
  })),
};
