import type { JsonObject } from "../../json/json-value.ts";
import { countryOf } from "../../model/country.ts";
import { Failure } from "../../model/failure.ts";
import { suggestionOr } from "../../text/suggestion.ts";
import { shiftDays } from "../../time/calendar.ts";
import { addDaysInZone, dayInZone, endOfDay, isZone, startOfDay } from "../../time/zoned-time.ts";
import type { RuleDeclarations, SettingType, SettingValue } from "../language/rule.ts";
import type { Cursor } from "./expressions/cursor.ts";
import type { PhoneTest } from "./value-formats.ts";

/** The values that rules refer to by name. */
export interface RuleConfiguration {
  readonly declarations: RuleDeclarations;
  /** The values of the instance's settings, including defaults. */
  readonly settings: ReadonlyMap<string, SettingValue>;
  readonly references: ReadonlyMap<string, ReferenceList>;
}

/** The data that rules use in addition to the payload. */
export interface RuleContext extends RuleConfiguration {
  readonly clock: RuleClock;
  /** Set if the contract has rules about telephone numbers. */
  readonly phone?: PhoneTest | undefined;
}

interface RuleClock {
  /** YYYY-MM-DD, in the instance's time zone. */
  readonly today: string;
  /**
   * Returns the first instant that does not count as past if `days` days are tolerated. Instants are in milliseconds
   * since 1970. If no days are tolerated, the result is the current time or, if the user has set a day, the start of
   * that day.
   */
  readonly earliest: (days: number) => number;
  /** Returns the last instant that does not count as future if `days` days are tolerated. */
  readonly latest: (days: number) => number;
  /** Converts an instant to the date in the instance's time zone. */
  readonly dayOf: (instant: number) => string;
  /** Adds days of the instance's time zone to an instant. */
  readonly addDays: (instant: number, days: number) => number;
}

/** Rows of a list that the user maintains; cells are text. */
export interface ReferenceList {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

/** The state of one check, in addition to the cursor at which an expression is evaluated. Set before each check. */
export interface Scope {
  /** The object to which the rule is attached: `top`. */
  top: Cursor;
  /** The object that is checked: `this`. */
  self: Cursor;
  other: Cursor | undefined;
  found: Cursor | undefined;
  /** Attrs with a structural problem; undefined if there are none. */
  reported: ReadonlySet<string> | undefined;
  /** Whether the check read a value that has already been reported. */
  readsReported: boolean;
}

/**
 * Returns the settings that rules may read: the configured values, and the defaults of the other settings.
 * @throws Failure `config` for a setting that the contract does not define, a value of the wrong type, or a region that
 * is not a country
 */
export function ruleSettingValues(
  { settings: known }: RuleDeclarations,
  configured: Readonly<Record<string, SettingValue>>,
): ReadonlyMap<string, SettingValue> {
  const settings = new Map<string, SettingValue>();
  for (const [name, { default: defaultValue }] of known)
    if (defaultValue !== undefined) settings.set(name, defaultValue);
  for (const [name, value] of Object.entries(configured)) {
    const type = known.get(name);
    if (type === undefined) throw unknownSetting(name, [...known.keys()]);
    if (!fits(value, type)) {
      throw new Failure("config", `rules.${name}: must be ${EXPECTED_VALUE[type.type]}`, {
        ...(type.description !== undefined && { hint: type.description }),
      });
    }
    settings.set(name, value);
  }
  const region = settings.get("region");
  if (typeof region === "string") settings.set("region", countryOf(region, "rules.region"));
  return settings;
}

function unknownSetting(name: string, known: readonly string[]): Failure {
  const hint = known.length === 0 ? "the contract's rules have no settings" : `known settings: ${known.join(", ")}`;
  return new Failure("config", `rules.${name}: the contract has no such setting`, {
    hint: suggestionOr(hint, name, known),
  });
}

const EXPECTED_VALUE: Readonly<Record<SettingType["type"], string>> = {
  boolean: "true or false",
  number: "a number",
  text: "a string",
  list: "a list of strings",
};

function fits(value: SettingValue, { type }: SettingType): boolean {
  if (type === "list") return typeof value === "object";
  if (type === "number")
    return typeof value === "number" || (typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value));
  return typeof value === (type === "text" ? "string" : "boolean");
}

const DAY_MS = 86_400_000;

/**
 * Returns the current time for rules: the actual time or, if the user has set a day, any time on that day. In the
 * latter case, the future starts after the end of the day, and the past ends before its start.
 * @throws Failure `config` for an unknown time zone
 */
export function ruleClock(now: number, zone: string, today: string | undefined): RuleClock {
  if (!isZone(zone)) {
    throw new Failure("config", `rules.time_zone: "${zone}" is not a time zone`, {
      hint: "use a name such as Europe/London",
    });
  }
  const dayOf = (moment: number): string => dayInZone(moment, zone);
  const addDays = (moment: number, days: number): number => addDaysInZone(moment, days, zone);
  if (today === undefined) {
    const after = (days: number): number => now + days * DAY_MS;
    return { today: dayOf(now), earliest: (days) => after(-days), latest: after, dayOf, addDays };
  }
  const dayAfter = (days: number): string => shiftDays(today, days) ?? today;
  return {
    today,
    earliest: (days) => startOfDay(dayAfter(-days), zone),
    latest: (days) => endOfDay(dayAfter(days), zone),
    dayOf,
    addDays,
  };
}
