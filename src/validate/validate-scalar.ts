import { invalidChoice } from "../text/invalid-choice.ts";
import type { BooleanType, ChoiceType, DateType } from "../contract/types/field-type.ts";
import type { JsonValue } from "../json/json-value.ts";
import { WHOLE_SECONDS } from "../model/problem.ts";
import { isIsoDate, isIsoDateTime, isIsoTime, losesFraction } from "../time/calendar.ts";
import type { Check } from "./problem-collector.ts";
import { strip } from "./unicode-text.ts";

/**
 * Checks a choice. The platform compares choices as text: the number 1 matches the choice "1" and is converted to it.
 */
export function choiceCheck(type: ChoiceType): Check {
  const exact: ReadonlySet<JsonValue> = new Set(type.choices);
  const byText = new Map(type.choices.map((choice) => [String(choice), choice]));
  const choices = type.choices.map(String);
  return (value, collector) => {
    if (exact.has(value)) return;
    const choice = typeof value === "string" || typeof value === "number" ? byText.get(String(value)) : undefined;
    if (choice === undefined || typeof choice === "boolean") return collector.add(value, invalidChoice(value, choices));
    collector.add(value, { code: "coerced", from: typeof value, to: typeof choice }, { severity: "warning" });
  };
}

/** Values that the Django REST framework converts to a boolean, in lower case. */
const BOOLEAN_TEXTS: ReadonlySet<string> = new Set([
  "t",
  "true",
  "y",
  "yes",
  "on",
  "1",
  "f",
  "false",
  "n",
  "no",
  "off",
  "0",
]);
const NULL_TEXTS: ReadonlySet<string> = new Set(["", "null"]);

export function booleanCheck(type: BooleanType): Check {
  return (value, collector) => {
    if (typeof value === "boolean") return;
    if (readsAsBoolean(value)) {
      collector.add(value, { code: "coerced", from: typeof value, to: "boolean" }, { severity: "warning" });
    } else if (type.nullable && typeof value === "string" && NULL_TEXTS.has(value.toLowerCase())) {
      collector.add(value, { code: "coerced", from: "string", to: "null" }, { severity: "warning" });
    } else {
      collector.add(value, { code: "invalid", expected: "boolean" });
    }
  };
}

function readsAsBoolean(value: unknown): boolean {
  if (typeof value === "number") return value === 0 || value === 1;
  return typeof value === "string" && BOOLEAN_TEXTS.has(strip(value).toLowerCase());
}

/** Checks ISO 8601 text by calendar arithmetic (API specification 2.7.4). A number is never a date. */
export function temporalCheck(type: DateType): Check {
  if (type.kind === "datetime") return dateTimeCheck(type);
  const isRight = type.kind === "date" ? isIsoDate : isIsoTime;
  const wrong = { code: "invalid", expected: type.kind } as const;
  return (value, collector) => {
    if (typeof value !== "string" || !isRight(value)) collector.add(value, wrong);
  };
}

/**
 * Checks a date-time. Warns about a date, because the platform converts it to the first moment of the day. Warns about
 * a fraction of a second, because the sent value omits it (`map/node/sent-form.ts`).
 */
function dateTimeCheck({ asGiven }: DateType): Check {
  return (value, collector) => {
    if (typeof value !== "string") collector.add(value, NOT_DATE_TIME);
    else if (isIsoDateTime(value)) {
      if (asGiven !== true && losesFraction(value)) collector.add(value, CUT_OFF, { severity: "warning" });
    } else if (isIsoDate(value)) collector.add(value, DATE_TO_DATE_TIME, { severity: "warning" });
    else collector.add(value, NOT_DATE_TIME);
  };
}

const NOT_DATE_TIME = { code: "invalid", expected: "datetime" } as const;
const DATE_TO_DATE_TIME = { code: "coerced", from: "date", to: "date-time" } as const;
const CUT_OFF = { code: "coerced", from: "fraction of a second", to: WHOLE_SECONDS } as const;
