import { expect, test } from "vitest";
import { countAccounts } from "../../../src/commands/demo/demo.ts";

test.each([
  [["A", "B"], "2 of 2 accounts, each exactly once", true],
  [["A"], "1 of 2 accounts", false],
  [["A", "B", "C"], "3 of 2 accounts", false],
  [["A", "B", "A"], "2 of 2 accounts, and 1 duplicate", false],
])("if two accounts are expected and the platform has the keys %j, the result is: %s", (keys, text, isRight) => {
  expect(countAccounts(keys, 2)).toEqual({ text, isRight });
});
