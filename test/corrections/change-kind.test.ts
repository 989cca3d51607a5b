import { expect, test } from "vitest";
import { type ChangeKind, createChangeExplainer } from "../../src/corrections/change-kind.ts";

test.each<[string, string, ChangeKind]>([
  ["7", "07", "zeros"],
  ["1234", "0001234", "zeros"],
  ["441234", "+441234", "plus"],
  ["Ada", "Ada ", "spaces"],
  ["TRUE", "true", "case"],
  ["1.5", "1.50", "decimals"],
])("%s instead of %s is classified as %s", (value, before, kind) => {
  const explain = createChangeExplainer();
  expect(explain(value, false, (candidate) => candidate === before)).toEqual({ kind, before });
});
