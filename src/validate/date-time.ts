import type { DateType } from "../contract/field-type.ts";
import { isIsoDate, isIsoDateTime, isIsoTime } from "../model/calendar.ts";
import type { Check } from "./found.ts";

/** ISO 8601 text, judged by calendar arithmetic (specification 2.7.4). A number is never a date. */
export function temporalCheck(type: DateType): Check {
  const isRight = FORMS[type.kind];
  const wrong = { code: "invalid", expected: type.kind } as const;
  return (value, found) => {
    if (typeof value !== "string" || !isRight(value)) found.add(value, wrong);
  };
}

const FORMS = { date: isIsoDate, datetime: isIsoDateTime, time: isIsoTime };
