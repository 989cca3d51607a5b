import { expect, test } from "vitest";
import { compile, date, failureOf, object } from "../rows.ts";
import { datePatternHint } from "../../../src/map/leaf/date-pattern.ts";

test.each([
  ["%d/%m/%Y", "dd/MM/yyyy"],
  ["%Y-%m-%dT%H:%M:%S%z", "yyyy-MM-dd'T'HH:mm:ssXXX"],
  ["%d %b %y", "dd MMM yy"],
  ["%-d.%-m.%Y", "d.M.yyyy"],
  ["DD/MM/YYYY", "dd/MM/yyyy"],
  ["dd/mm/yyyy", "dd/MM/yyyy"],
  ["DD-MON-YY", "dd-MMM-yy"],
  ["YYYY-MM-DD HH24:MI:SS", "yyyy-MM-dd HH:mm:ss"],
  ["YYYY-MM-DDTHH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss"],
  ["D.M.YYYY", "d.M.yyyy"],
])("for the foreign pattern %s, the pattern %s is suggested", (pattern, meant) =>
  expect(datePatternHint(pattern)).toBe(`did you mean "${meant}"?`),
);

test.each(["dd/MM", "x", "%q", ""])("for %j, no pattern is suggested", (pattern) =>
  expect(datePatternHint(pattern)).toBeUndefined(),
);

test("a mapping with a foreign date pattern is rejected with the correct pattern as a suggestion", () => {
  const failure = failureOf(() => compile('payload: { a: { from: A, date: "DD/MM/YYYY" } }', object({ a: date })));
  expect(failure.hint).toContain('did you mean "dd/MM/yyyy"?');
});
