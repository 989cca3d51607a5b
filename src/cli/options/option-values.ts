import { InvalidArgumentError } from "commander";
import { isIsoDate } from "../../time/calendar.ts";
import { AUTH_SCHEMES, type AuthScheme } from "../../job/auth-settings.ts";
import type { MaxErrors } from "../../job/recorded-settings.ts";

/** Of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}

export function splitKeys(value: string, previous: readonly string[] = []): readonly string[] {
  return [
    ...previous,
    ...value
      .split(",")
      .map((key) => key.trim())
      .filter((key) => key !== ""),
  ];
}

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`A whole number ${range} is expected.`);
  };
}

export function rate(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0 && value <= 100_000) return value;
  throw new InvalidArgumentError("Requests a second: a number above 0 is expected.");
}

/** Milliseconds. */
export function duration(text: string): number {
  const [, amount, unit = "s"] = /^(\d{1,9})(s|m|h|d)?$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (UNIT_MS[unit] ?? 0);
  throw new InvalidArgumentError("A duration is expected: 90s, 30m, 2h, 1d.");
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function day(text: string): string {
  if (isIsoDate(text)) return text;
  throw new InvalidArgumentError("A date is expected, as 2026-01-31.");
}

export function concurrency(text: string): "auto" | number {
  return text === "auto" ? "auto" : wholeNumber(1, 1024)(text);
}

export function authScheme(text: string): AuthScheme {
  const known = AUTH_SCHEMES.find((scheme) => scheme.toLowerCase() === text.toLowerCase());
  if (known !== undefined) return known;
  throw new InvalidArgumentError(`One of ${AUTH_SCHEMES.join(", ")} is expected.`);
}

export function tolerance(text: string): MaxErrors {
  const [, count, percent] = /^(?:(\d+)|(\d+(?:\.\d+)?)%)$/.exec(text) ?? [];
  if (count !== undefined) return { count: Number(count) };
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
  throw new InvalidArgumentError("A count (20) or a share of the records (5%) is expected.");
}
