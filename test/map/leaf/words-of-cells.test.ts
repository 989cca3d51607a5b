import { describe, expect, test } from "vitest";
import { anything, boolean, compile, object, rowOf, text } from "../rows.ts";
import { leafIssue, mapLeaf } from "./leaf.ts";

describe("words that a mapping compares with cells are text as written", () => {
  test.each(["TRUE", "True", "1.10", "1.0", "1e3", "0x10", "+5", "-0", "NULL", "~", "007"])(
    "in a condition: %s",
    (word) => {
      const leaf = `{ from: A, when: { column: F, in: [${word}] } }`;
      expect(mapLeaf(leaf, text, { A: "x", F: word })).toEqual(["x"]);
      expect(mapLeaf(leaf, text, { A: "x", F: `${word}0` })).toEqual([undefined]);
    },
  );
  test("among the words for true and false", () => {
    const leaf = "{ from: A, true: [TRUE, 1.0], false: FALSE }";
    expect(["TRUE", "1.0", "FALSE", "true"].map((cell) => mapLeaf(leaf, boolean, { A: cell }))).toEqual([
      [true],
      [true],
      [false],
      ["true", "invalid_choice"],
    ]);
  });
  test("in a list to which an alias refers", () => {
    const mapping = `payload:
  a: { from: A, when: { column: F, in: &yes [TRUE] } }
  b: { from: A, when: { column: F, in: *yes } }`;
    const { payload } = compile(mapping, object({ a: text, b: text })).map(rowOf({ A: "x", F: "TRUE" }));
    expect(payload).toEqual({ a: "x", b: "x" });
  });
  test("but not the values of a lookup table whose codes are words", () => {
    const leaf = "{ from: A, lookup: { true: 1, false: 0, in: 2 } }";
    expect(["true", "in"].map((cell) => mapLeaf(leaf, anything, { A: cell }))).toEqual([[1], [2]]);
  });
  test("without a list", () =>
    expect(mapLeaf("{ from: A, when: { column: F, in: TRUE } }", text, { A: "x", F: "TRUE" })).toEqual(["x"]));
  test("but a missing word is an error", () =>
    expect(leafIssue("{ from: A, when: { column: F, in: } }").error).toBe(
      "leaf.when: must be { column: <name>, in: [<value>, ...] }",
    ));
});
