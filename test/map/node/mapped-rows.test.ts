import { describe, expect, test } from "vitest";
import { anything, compile, csvRow, failureOf, integer, jsonRow, list, object, rowOf, table, text } from "../rows.ts";

describe("columns:", () => {
  const body = object({ a: text, b: text });
  test("a file that lacks some columns is rejected at its first row, and all missing columns are named", () => {
    const mapping = compile("payload:\n  a: MOBLE\n  b: NAME\n", body);
    expect(failureOf(() => mapping.map(rowOf({ MOBILE: "", NAME: "" })))).toMatchObject({
      code: "mapping_invalid",
      message: 'accounts.csv: no column "MOBLE" (mapping.yaml:2), which the mapping reads',
      hint: 'did you mean "MOBILE"? its columns are: MOBILE, NAME',
      place: { file: "mapping.yaml", line: 2 },
    });
    expect(failureOf(() => mapping.map(rowOf({ X: "" }))).message).toContain('"MOBLE" (mapping.yaml:2), "NAME"');
  });
  test("each file may have its columns in a different order", () => {
    const mapping = compile("payload: { a: A, b: B }", body);
    expect(mapping.map(rowOf({ A: "1", B: "2" })).payload).toEqual({ a: "1", b: "2" });
    expect(mapping.map(rowOf({ B: "3", A: "4" })).payload).toEqual({ a: "4", b: "3" });
  });
  test("missing cells of a ragged row are empty", () => {
    const row = csvRow(table("a.csv", ["A", "B"]), 2, ["1"]);
    expect(compile("payload: { a: A, b: B }", body).map(row).payload).toEqual({ a: "1" });
  });
  test("a column may be a path into JSON, or a member with dots in its name", () => {
    const mapping = compile("payload: { a: x.y.0, b: z.w }", body);
    expect(mapping.map(jsonRow({ x: { y: ["v"] }, "z.w": "u", z: { w: "no" } })).payload).toEqual({ a: "v", b: "u" });
    expect(mapping.map(jsonRow({ x: "s" })).payload).toEqual({});
    expect(mapping.map(jsonRow({ x: { y: [] }, z: null })).payload).toEqual({});
  });
  test("a path never reaches inherited properties", () => {
    const mapping = compile("payload: { a: constructor.name, b: x.length }", object({ a: anything, b: anything }));
    expect(mapping.map(jsonRow({ x: "text" })).payload).toEqual({});
  });
});

describe("the business key", () => {
  const body = object({ "id!": text, nested: object({ ref: text }), n: integer });
  test("is named by the mapping or, by default, by the contract", () => {
    const contracts = compile("payload: { id: A }", body);
    expect([contracts.keyAttr, contracts.map(rowOf({ A: "7" })).key]).toEqual([["id"], "7"]);
    const own = compile("key: nested.ref\npayload: { id: A, nested: { ref: B } }", body);
    expect([own.keyAttr, own.map(rowOf({ A: "7", B: "8" })).key]).toEqual([["nested", "ref"], "8"]);
    expect(compile("key: n\npayload: { n: A }", body).map(rowOf({ A: "7" })).key).toBe("7");
    expect(own.map(rowOf({ A: "7", B: "" }))).not.toHaveProperty("key");
  });
  test("must be in the payload if the mapping names it", () =>
    expect(failureOf(() => compile("key: ref\npayload: { id: A }", body)).message).toBe(
      'mapping.yaml:1:1: key: the payload has no field "ref"',
    ));
});

describe("origins", () => {
  test("name the source of every value", () => {
    const body = object({ a: text, b: text, c: text, d: text, e: text, f: list(text) });
    const mapping = compile(
      'payload: { a: A, b: { value: v }, c: { from: B, default: d }, d: { from: A, lookup: { x: y } }, e: B, f: { from: A, split: "," } }',
      body,
    );
    const place = { file: "accounts.csv", line: 2, column: "A", columnNumber: 1 };
    expect(mapping.origins(rowOf({ A: "x", B: "" }))).toEqual([
      { attr: "a", place, from: "column", value: "x" },
      { attr: "b", from: "value", value: "v" },
      { attr: "c", place: { ...place, column: "B", columnNumber: 2 }, from: "default", value: "d" },
      { attr: "d", place, from: "lookup", value: "y" },
      { attr: "f.0", place, from: "column", value: "x" },
    ]);
  });
});
