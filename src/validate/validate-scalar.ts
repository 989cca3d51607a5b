import { invalidChoice } from "../text/invalid-choice.ts";
import type { BooleanType, ChoiceType, DateType } from "../contract/types/field-type.ts";
import type { JsonScalar, JsonValue } from "../json/json-value.ts";
import { WHOLE_SECONDS } from "../model/problem.ts";
import { isIsoDate, isIsoDateTime, isIsoTime, losesFraction } from "../time/calendar.ts";
import type { Check } from "./problem-collector.ts";
import { strip } from "../text/unicode-text.ts";

/** Checks a choice. A value that the platform converts to a choice causes a warning. */
export function choiceCheck(type: ChoiceType): Check {
  const read = choiceReader(type);
  // The number 1 and the text 1 are written in the same way in a cell.
  const choices = [...new Set(type.choices.map(String))];
  return (value, collector) => {
    const choice = read(value);
    if (choice === undefined) collector.add(value, invalidChoice(value, choices));
    else if (choice !== value) {
      collector.add(value, { code: "coerced", from: typeof value, to: typeof choice }, { severity: "warning" });
    }
  };
}

/**
 * Returns a function that reads a choice; it returns undefined for any other value. The platform compares choices as
 * text: the number 1 matches the choice "1" and is converted to it.
 */
export function choiceReader({ choices }: ChoiceType): (value: JsonValue) => JsonScalar | undefined {
  const exact: ReadonlyMap<JsonValue, JsonScalar> = new Map(choices.map((choice) => [choice, choice]));
  const byText = new Map(choices.map((choice) => [String(choice), choice]));
  return (value) => {
    const known = exact.get(value);
    if (known !== undefined) return known;
    const choice = typeof value === "string" || typeof value === "number" ? byText.get(String(value)) : undefined;
    return typeof choice === "boolean" ? undefined : choice;
  };
}

/** The texts that the Django REST framework converts to a boolean, in lower case. */
const BOOLEAN_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ...["t", "true", "y", "yes", "on", "1"].map((text) => [text, true] as const),
  ...["f", "false", "n", "no", "off", "0"].map((text) => [text, false] as const),
]);
const NULL_TEXTS: ReadonlySet<string> = new Set(["", "null"]);

export function booleanCheck(type: BooleanType): Check {
  return (value, collector) => {
    if (typeof value === "boolean") return;
    const read = readBoolean(value, type);
    if (read === undefined) collector.add(value, { code: "invalid", expected: "boolean" });
    else {
      const to = read === null ? "null" : "boolean";
      collector.add(value, { code: "coerced", from: typeof value, to }, { severity: "warning" });
    }
  };
}

/** Returns the boolean or null to which the platform converts a value, or undefined for any other value. */
export function readBoolean(value: JsonValue, { nullable }: BooleanType): boolean | null | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value === 0 || value === 1 ? value === 1 : undefined;
  if (typeof value !== "string") return undefined;
  const read = BOOLEAN_TEXTS.get(strip(value).toLowerCase());
  return read === undefined && nullable && NULL_TEXTS.has(value.toLowerCase()) ? null : read;
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
