import { describe, expect, test } from "vitest";
import { passThrough } from "../../src/map/pass-through.ts";
import { failureOf, jsonRow, object, operation, rowOf, text } from "./rows.ts";

const target = operation(object({ id: text }), "id");

describe("passThrough", () => {
  test("uses a JSON row as the payload", () => {
    const value = { id: "7", customers: [{ name: "x" }], note: null };
    expect(passThrough(target).map(jsonRow(value))).toEqual({ key: "7", payload: value, problems: [] });
    expect(passThrough(target).map(jsonRow({ id: "" }))).not.toHaveProperty("key");
    expect(passThrough(target).keyAttr).toEqual(["id"]);
  });
  test("locates an attr by its JSON pointer", () =>
    expect(passThrough(target).locate(jsonRow({}, "/3"), ["customers", 0, "a/b"])).toEqual({
      file: "accounts.json",
      line: 2,
      pointer: "/3/customers/0/a~1b",
    }));
  test("reports each value as its own origin", () =>
    expect(
      passThrough(target)
        .origins(jsonRow({ a: [1, { b: null }] }, ""))
        .map(({ attr, from, value, place }) => [attr, from, value, place?.pointer]),
    ).toEqual([
      ["a.0", "payload", 1, "/a/0"],
      ["a.1.b", "payload", null, "/a/1/b"],
    ]));
  test("requires a mapping for CSV rows, which contain no attrs and no payload values", () => {
    const row = rowOf({ A: "1" });
    expect(failureOf(() => passThrough(target).map(row))).toMatchObject({
      code: "usage",
      message: "accounts.csv: a file with columns requires --mapping",
      hint: "write a mapping from its columns to the payload (docs/mapping.md), and pass it with --mapping <file>",
      place: { file: "accounts.csv", line: 2 },
    });
    expect(passThrough(target).locate(row, ["id"])).toBeUndefined();
    expect(passThrough(target).origins(row)).toEqual([]);
  });
  test("reads no columns, and treats all attrs as mapped", () =>
    expect(passThrough(target)).toMatchObject({ columns: new Map([["records", []]]), unmappedRequired: [] }));
  test("treats no attr as constant", () => expect(passThrough(target).isConstant(["id"])).toBe(false));
  test("requires a mapping for an operation with required parameters", () => {
    const company = { name: "companyId", in: "path", required: true, type: text } as const;
    expect(failureOf(() => passThrough({ ...target, parameters: [company] }))).toMatchObject({
      code: "usage",
      message: 'POST /data-import/accounts/ needs the parameter "companyId"',
      hint: "write a mapping with `parameters` (docs/mapping.md), and pass it with --mapping <file>",
    });
    const optional = { ...company, in: "query", required: false } as const;
    expect(passThrough({ ...target, parameters: [optional] }).map(jsonRow({ id: "7" })).payload).toEqual({ id: "7" });
  });
});
