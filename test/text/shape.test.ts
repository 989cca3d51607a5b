import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shapeOf } from "../../src/text/shape.ts";

describe("the shape of a value", () => {
  it.each([
    ["SW1A 1AA", "AA9A 9AA"],
    ["07700900123", "9{11}"],
    ["2024-02-30", "9{4}-99-99"],
    ["o'Brien-Ångström", "a'Aa{4}-Aa{7}"],
    ["電気", "aa"],
    ["٣", "9"],
    ["a\n\t😀€", "a?{4}"],
    ["", "(empty)"],
    ["aA".repeat(30), `${"aA".repeat(19)}a…`],
    [12, "number"],
    [true, "boolean"],
    [null, "null"],
    [[1], "list"],
    [{ a: 1 }, "object"],
  ])("of %j is %s", (value, shape) => {
    expect(shapeOf(value)).toBe(shape);
  });

  it("never contains a letter or digit of the value, and has a limited length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 500 }), (value) => {
        const shape = shapeOf(value);
        expect(shape.length).toBeLessThanOrEqual(40);
        expect(shape).toMatch(/^[ -~]*…?$/);
        expect(shape.replaceAll(/\{\d+\}?/g, "")).not.toMatch(/[b-zB-Z0-8]/);
      }),
    );
  });
});
