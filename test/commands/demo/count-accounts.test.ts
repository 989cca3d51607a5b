import { expect, test } from "vitest";
import { countAccounts } from "../../../src/commands/demo/demo.ts";

test.each([
  [["A", "B"], "2 of 2 accounts, each exactly once", true],
  [["A"], "1 of 2 accounts", false],
  [["A", "B", "C"], "3 of 2 accounts", false],
  [["A", "B", "A"], "2 of 2 accounts, and 1 duplicate", false],
])("the accounts with the keys %j are reported as %s", (keys, text, isRight) => {
  expect(countAccounts(keys, 2)).toEqual({ text, isRight });
});
