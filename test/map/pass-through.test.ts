import { describe, expect, test } from "vitest";
import { passThrough } from "../../src/map/pass-through.ts";
import { failureOf, jsonRow, object, operation, rowOf, text } from "./rows.ts";

const mapping = passThrough(operation(object({ id: text }), "id"));

describe("passThrough", () => {
  test("uses a JSON row as the payload", () => {
    const value = { id: "7", customers: [{ name: "x" }], note: null };
    expect(mapping.map(jsonRow(value))).toEqual({ key: "7", payload: value, problems: [] });
    expect(mapping.map(jsonRow({ id: "" }))).not.toHaveProperty("key");
    expect(mapping.keyAttr).toEqual(["id"]);
  });
  test("locates an attr by its JSON pointer", () =>
    expect(mapping.locate(jsonRow({}, "/3"), ["customers", 0, "a/b"])).toEqual({
      file: "accounts.json",
      line: 2,
      pointer: "/3/customers/0/a~1b",
    }));
  test("reports each value as its own origin", () =>
    expect(
      mapping
        .origins(jsonRow({ a: [1, { b: null }] }, ""))
        .map(({ attr, from, value, place }) => [attr, from, value, place?.pointer]),
    ).toEqual([
      ["a.0", "payload", 1, "/a/0"],
      ["a.1.b", "payload", null, "/a/1/b"],
    ]));
  test("requires a mapping for CSV rows", () =>
    expect(failureOf(() => mapping.map(rowOf({ A: "1" })))).toMatchObject({
      code: "usage",
      message: "accounts.csv: a file with columns requires --mapping",
    }));
});
