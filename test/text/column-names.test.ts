import { expect, test } from "vitest";
import { columnsHint, valueAmongNames } from "../../src/text/column-names.ts";

test.each([
  [["GB-1", "Ada Byron", "01/04/2024"], "column 3 is a date"],
  [["GB-1", "1940-01-31", "ada@example.org"], "column 2 is a date"],
  [["GB-1", " ada@example.org "], "column 2 is an email address"],
  [["07700 900123", "Ada"], "column 1 is a long number"],
  [["1200000000011", "Ada"], "column 1 is a long number"],
  [["ACCOUNT", "2024", "Q1 2024", "01/2024", "00:30", "E-mail", "@id", "1.2.3.4"], undefined],
])("finds a value among the column names %j", (names, found) => {
  expect(valueAmongNames(names)).toBe(found);
});

test("does not list column names that may be personal data", () => {
  expect(columnsHint(["ACCOUNT", "NAME"])).toBe("its columns are: ACCOUNT, NAME");
  expect(columnsHint(["GB-1", "Ada Byron", "01/04/2024"])).toBe(
    "the first line may be data instead of a header, because column 3 is a date; if so, add a line with column names",
  );
});
