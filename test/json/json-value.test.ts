import { describe, expect, test } from "vitest";
import { formatPointer, parseFragment, parsePointer } from "../../src/json/json-pointer.ts";
import { valueAt } from "../../src/json/json-value.ts";

describe("the value at the path", () => {
  const payload = { customers: [{ "given name": "Ada" }], "0": "a member" };

  test.each([
    [["customers", 0, "given name"], "Ada"],
    [["customers", "0", "given name"], "Ada"],
    [[0], "a member"],
    [["customers", 1], undefined],
    [["customers", ""], undefined],
    [["customers", "length"], undefined],
    [["customers", "-1"], undefined],
    [["customers", "1e0"], undefined],
    [["constructor"], undefined],
    [["customers", 0, "given name", "length"], undefined],
  ])("%j is %j", (path, value) => {
    expect(valueAt(payload, path)).toBe(value);
  });
});

describe("a JSON pointer", () => {
  test.each([
    [[], ""],
    [["a/b", 0, "m~n", "~1", ""], "/a~1b/0/m~0n/~01/"],
  ])("for the path %j is %j, and can be parsed back", (path, pointer) => {
    expect(formatPointer(path)).toBe(pointer);
    expect(parsePointer(pointer)).toEqual(path.map(String));
  });

  test("in a reference is percent-decoded, and a reference to another document is rejected", () => {
    expect(parseFragment("#/components/schemas/A~1B%20C")).toEqual(["components", "schemas", "A/B C"]);
    expect(parseFragment("#")).toEqual([]);
    expect(parseFragment("#name")).toBeUndefined();
    expect(parseFragment("other.yaml#/a")).toBeUndefined();
    expect(parseFragment("#/%")).toBeUndefined();
  });
});
