import { describe, expect, test } from "vitest";
import { differingAttrs } from "../../src/json/differing-attrs.ts";

describe("differingAttrs", () => {
  test("lists the deepest attrs whose values differ", () => {
    const before = { name: "A", customers: [{ mobile: "1", email: "a" }, { mobile: "2" }], tags: ["x"] };
    const after = { name: "A", customers: [{ mobile: "1", email: "b" }], tags: ["x", "y"] };
    expect(differingAttrs(before, after)).toEqual(["customers.0.email", "customers.1", "tags.1"]);
    expect(differingAttrs(before, before)).toEqual([]);
  });

  test("distinguishes absent values, null and values of other types", () => {
    expect(differingAttrs({ a: null, b: "1", c: {} }, { b: 1, c: [] })).toEqual(["a", "b", "c"]);
    expect(differingAttrs({ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } })).toEqual([]);
  });

  test("reads only own members", () => {
    expect(differingAttrs({}, { constructor: "x" })).toEqual(["constructor"]);
  });
});
