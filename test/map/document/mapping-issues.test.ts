import { describe, expect, test } from "vitest";
import { collectIssues, didYouMean, scalarText, scalarTexts } from "../../../src/map/document/mapping-issues.ts";
import { readMapping } from "../../../src/map/document/mapping-document.ts";
import { failureOf } from "../rows.ts";

const read = (text: string) => readMapping({ file: "mapping.yaml", text });
const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index + 1}`);

test.each([
  ["frm", ["from", "value"], 'did you mean "from"?'],
  ["colour", ["from", "value"], "known names: from, value"],
  ["colour", [], "known names: none"],
])("suggests a name for %j among %j", (word, names, hint) => {
  expect(didYouMean(word, names)).toBe(hint);
});

test.each([
  ["a", "a"],
  ["", ""],
  [1.5, "1.5"],
  [false, "false"],
  [null, undefined],
  [["a"], undefined],
  [{ a: "b" }, undefined],
  [undefined, undefined],
])("the text of the scalar %j is %j", (value, text) => {
  expect(scalarText(value)).toBe(text);
});

test.each([
  ["a", ["a"]],
  [5, ["5"]],
  [
    ["a", 5, true],
    ["a", "5", "true"],
  ],
  [[], []],
  [["a", null], undefined],
  [{}, undefined],
  [undefined, undefined],
])("the strings in the scalars %j are %j", (value, texts) => {
  expect(scalarTexts(value)).toEqual(texts);
});

describe("the errors of a mapping", () => {
  test("are in the order of the file, even within one line", () => {
    const failure = failureOf(() => read("sources: { c: { orderBy: [A], distinct: 5 } }\npayload: []\n"));
    expect(failure.message.split("\n").map((line) => line.split(": ").slice(0, 2).join(": "))).toEqual([
      "mapping.yaml: 3 errors in the mapping",
      "  mapping.yaml:1:17: sources.c.orderBy",
      "  mapping.yaml:1:31: sources.c.distinct",
      "  mapping.yaml:2:1: payload",
    ]);
    expect(failure).toMatchObject({
      hint: "docs/mapping.md describes every entry of a mapping",
      place: { file: "mapping.yaml", line: 1 },
    });
  });

  test.each([
    [20, undefined],
    [21, "  and 1 more"],
  ])("are listed up to a limit: %d errors end with %j", (count, last) => {
    const keys = words(count).map((word) => `  ${word}: x\n`);
    const lines = failureOf(() => read(`payload: {}\nsources:\n${keys.join("")}`)).message.split("\n");
    expect(lines).toHaveLength(last === undefined ? 21 : 22);
    expect(lines[20]).toContain("sources.w20: must be an object, such as { name: value }");
    expect(lines[21]).toBe(last);
  });

  test("are listed only once, and their hint has no excerpt if the document has none", () => {
    const issues = collectIssues({ file: "m.json", pointOf: () => ({ line: 4, column: 2, excerpt: undefined }) });
    issues.add(["key"], "must be a string", "write a name");
    issues.add(["key"], "must be a string");
    const failure = failureOf(issues.raise);
    expect(failure).toMatchObject({
      code: "mapping_invalid",
      message: "m.json:4:2: key: must be a string",
      hint: "write a name",
      place: { file: "m.json", line: 4 },
    });
  });

  test("are listed separately for a name that contains a dot and for a path with the same attr", () => {
    const issues = collectIssues(read("payload:\n  a.b: X\n  a:\n    b: X\n"));
    issues.add(["payload", "a.b"], "is unknown");
    issues.add(["payload", "a", "b"], "is unknown");
    expect(failureOf(issues.raise).message.split("\n")).toEqual([
      "mapping.yaml: 2 errors in the mapping",
      "  mapping.yaml:2:3: payload.a.b: is unknown",
      "  mapping.yaml:4:5: payload.a.b: is unknown",
    ]);
  });

  test("cause no failure if the list is empty", () => {
    expect(collectIssues({ file: "m.json", pointOf: read("payload: {}").pointOf }).raise).not.toThrow();
  });
});
