import { expect, test } from "vitest";
import { PARSERS } from "../../../src/cli/options/option-parsers.ts";

test.each([
  ["90", 90_000],
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
])("a duration of %s is %i ms", (text, ms) => {
  expect(PARSERS.duration(text)).toBe(ms);
});

test.each(["", "1.5h", "-1s", "s", "10w", "1h30m"])("%j is not a duration", (text) => {
  expect(() => PARSERS.duration(text)).toThrow("Expected a duration such as 90s, 30m, 2h or 1d.");
});
