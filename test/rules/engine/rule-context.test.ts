import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import { ruleClock, ruleSettingValues } from "../../../src/rules/engine/rule-context.ts";
import type { RuleDeclarations, SettingType, SettingValue } from "../../../src/rules/language/rule.ts";

function declarationsOf(settings: Readonly<Record<string, SettingType>>): RuleDeclarations {
  return { values: new Map(), settings: new Map(Object.entries(settings)), undecided: new Map(), partial: new Set() };
}

function failureOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error instanceof Failure ? [error.code, error.message, error.hint] : error;
  }
  return undefined;
}

const DECLARED = declarationsOf({
  flag: { type: "boolean", default: false, description: "Whether flows exist." },
  most: { type: "number" },
  region: { type: "text", default: "GB" },
  names: { type: "list" },
});

describe("the settings of rules", () => {
  it("are the configured values, and the defaults of all other settings", () => {
    expect(Object.fromEntries(ruleSettingValues(DECLARED, {}))).toEqual({ flag: false, region: "GB" });
    const declared = { flag: true, most: 5, region: "AU", names: ["A"] };
    expect(Object.fromEntries(ruleSettingValues(DECLARED, declared))).toEqual(declared);
  });

  it.each<SettingValue>([5, -1.5, "5", "-12.50"])("include the number %j", (most) => {
    expect(ruleSettingValues(DECLARED, { most }).get("most")).toBe(most);
  });

  it.each<[Record<string, SettingValue>, string, string | undefined]>([
    [{ most: "1.5x" }, "rules.most: must be a number", undefined],
    [{ most: "x5" }, "rules.most: must be a number", undefined],
    [{ most: "1." }, "rules.most: must be a number", undefined],
    [{ most: true }, "rules.most: must be a number", undefined],
    [{ flag: "true" }, "rules.flag: must be true or false", "Whether flows exist."],
    [{ region: 5 }, "rules.region: must be a string", undefined],
    [{ region: ["GB"] }, "rules.region: must be a string", undefined],
    [{ names: "A" }, "rules.names: must be a list of strings", undefined],
    [{ absent: 1 }, "rules.absent: the contract has no such setting", "known settings: flag, most, region, names"],
    [{ regoin: "GB" }, "rules.regoin: the contract has no such setting", 'did you mean "region"?'],
  ])("are refused if they are not declared or have the wrong type: %j", (declared, message, hint) => {
    expect(failureOf(() => ruleSettingValues(DECLARED, declared))).toEqual(["config", message, hint]);
  });

  it.each(["au", "UK", " GB", "England", ""])("include only the code of a country as the region, not %j", (region) => {
    expect(failureOf(() => ruleSettingValues(DECLARED, { region }))).toEqual([
      "config",
      `rules.region: "${region}" is not a country code`,
      "use two capital letters (ISO 3166-1), such as GB for the United Kingdom",
    ]);
  });

  it("are refused if the contract has none", () => {
    expect(failureOf(() => ruleSettingValues(declarationsOf({}), { a: 1 }))).toEqual([
      "config",
      "rules.a: the contract has no such setting",
      "the contract's rules have no settings",
    ]);
  });
});

describe("the clock of rules", () => {
  const now = Date.parse("2026-06-30T23:30:00Z");

  it("is the current time, with the date in the given time zone", () => {
    const { today, earliest, latest, dayOf } = ruleClock(now, "Europe/London", undefined);
    expect([today, earliest(0), latest(0)]).toEqual(["2026-07-01", now, now]);
    expect(dayOf(now - 3_600_000)).toBe("2026-06-30");
    expect(ruleClock(now, "UTC", undefined).today).toBe("2026-06-30");
  });

  it("is the whole day that the user has set", () => {
    const { today, earliest, latest } = ruleClock(now, "Europe/London", "2026-10-25");
    expect(today).toBe("2026-10-25");
    expect(new Date(earliest(0)).toISOString()).toBe("2026-10-24T23:00:00.000Z");
    expect(latest(0)).toBeLessThan(Date.parse("2026-10-26T00:00:00Z"));
    expect(latest(0)).toBeGreaterThanOrEqual(Date.parse("2026-10-25T23:59:59Z"));
  });

  it("needs a known time zone", () => {
    expect(failureOf(() => ruleClock(now, "Europe/Londn", undefined))).toEqual([
      "config",
      'rules.time_zone: "Europe/Londn" is not a time zone',
      "use a name such as Europe/London",
    ]);
  });
});
