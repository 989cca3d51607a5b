import { describe, expect, test } from "vitest";
import type { ObjectType } from "../../../src/contract/types/field-type.ts";
import { newBuildState, resetBuildState } from "../../../src/map/node/build-payload.ts";
import type { Row } from "../../../src/model/record.ts";
import { choice, compile, csvRow, list, object, rowOf, table, text, union } from "../rows.ts";

describe("an object without values", () => {
  test.each(["contact", "contact!"])("is omitted, even if the contract requires it: %s", (name) => {
    const body = object({ "id!": text, [name]: object({ phone: text }) });
    const mapping = compile("payload: { id: A, contact: { phone: PHONE } }", body);
    expect(mapping.map(rowOf({ A: "1", PHONE: "" })).payload).toEqual({ id: "1" });
    expect(mapping.map(rowOf({ A: "1", PHONE: "2" })).payload).toEqual({ id: "1", contact: { phone: "2" } });
  });
  test("is sent if the contract requires it and the mapping defines it as empty (`{}`)", () => {
    const details = object({ "params!": object({ note: text }), extra: object({ note: text }) });
    const body = object({ "id!": text, "details!": details });
    const mapping = compile("payload: { id: A, details: { params: {}, extra: {} } }", body);
    expect(mapping.unmappedRequired).toEqual([]);
    expect(mapping.map(rowOf({ A: "1" })).payload).toEqual({ id: "1", details: { params: {} } });
  });
  test("is sent for an empty row of a child source, even if the contract has alternatives", () => {
    const sources =
      "sources: { accounts: { files: a.csv, key: ID }, parts: { files: p.csv, parent: accounts, on: ID } }";
    const one = object({ kind: choice("A"), size: text });
    const two = object({ kind: choice("B"), name: text });
    const mapping = new Map<string, ObjectType>([
      ["A", one],
      ["B", two],
    ]);
    const body = object({ parts: list(union([one, two], { property: "kind", mapping })) });
    const compiled = compile(`${sources}\npayload: { parts: { each: parts, item: { kind: KIND, size: SIZE } } }`, body);
    const parts = table("p.csv", ["ID", "KIND", "SIZE"]);
    const children = { parts: [csvRow(parts, 2, ["1", "", ""]), csvRow(parts, 3, ["1", "A", "7"])] };
    expect(compiled.map(csvRow(table("a.csv", ["ID"]), 2, ["1"], children)).payload).toEqual({
      parts: [{}, { kind: "A", size: "7" }],
    });
  });
});

function accountWith(id: string, points: readonly (readonly string[])[]): Row {
  const rows = points.map((cells) => csvRow(table("p.csv", ["ID", "POINT"]), 2, ["1", ...cells]));
  return csvRow(table("a.csv", ["ID", "SITE"]), 2, ["1", id], { points: rows });
}

describe("an optional object with a constant", () => {
  const sources =
    "sources: { accounts: { files: a.csv, key: ID }, points: { files: p.csv, parent: accounts, on: ID } }";
  const site = object({ "id!": text, kind: text, points: list(object({ point: text })) });
  test("is sent if a cell or a child row has data for it", () => {
    const payload = "{ id: SITE, kind: { value: K }, points: { each: points, item: { point: POINT } } }";
    const mapping = compile(`${sources}\npayload: { site: ${payload} }`, object({ site }));
    expect(mapping.map(accountWith("", [])).payload).toEqual({});
    expect(mapping.map(accountWith("S", [])).payload).toEqual({ site: { id: "S", kind: "K" } });
    expect(mapping.map(accountWith("", [[""]])).payload).toEqual({ site: { kind: "K", points: [{}] } });
  });
  test("is omitted if a lookup makes its only cell empty", () => {
    const payload = '{ id: { from: SITE, lookup: { none: "" }, otherwise: keep }, kind: { value: K } }';
    const mapping = compile(`payload: { site: ${payload} }`, object({ site }));
    expect(mapping.map(rowOf({ SITE: "none" })).payload).toEqual({});
    expect(mapping.origins(rowOf({ SITE: "none" }))).toEqual([]);
    expect(mapping.map(rowOf({ SITE: "S" })).payload).toEqual({ site: { id: "S", kind: "K" } });
  });
  test("is also optional if it is an additional property", () => {
    const mapping = compile("payload: { one: { id: SITE, kind: { value: K } } }", object({}, site));
    expect(mapping.map(rowOf({ SITE: "" })).payload).toEqual({});
  });
});

test("parts of a split cell that become empty are not sent as items", () => {
  const leaf = '{ from: A, split: ",", lookup: { a: x }, otherwise: empty }';
  const mapping = compile(`payload: { tags: ${leaf} }`, object({ tags: list(text) }));
  expect(mapping.map(rowOf({ A: "b,a,b" })).payload).toEqual({ tags: ["x"] });
  expect(mapping.map(rowOf({ A: "b" })).payload).toEqual({});
});

describe("a constant of another alternative", () => {
  const one = object({ kind: choice("A"), size: text });
  const two = object({ kind: choice("B"), unit: text });
  const mapping = new Map<string, ObjectType>([
    ["A", one],
    ["B", two],
  ]);
  const body = object({ id: text, part: union([one, two], { property: "kind", mapping }) });
  const compiled = () => compile("payload: { id: ID, part: { kind: KIND, size: SIZE, unit: { value: cm } } }", body);
  test("is not sent", () => {
    expect(compiled().map(rowOf({ ID: "1", KIND: "A", SIZE: "2" })).payload["part"]).toEqual({ kind: "A", size: "2" });
    expect(compiled().map(rowOf({ ID: "1", KIND: "B", SIZE: "" })).payload["part"]).toEqual({ kind: "B", unit: "cm" });
  });
  test("has no origin, while other values keep their origins", () => {
    const attrs = compiled()
      .origins(rowOf({ ID: "1", KIND: "A", SIZE: "2" }))
      .map(({ attr }) => attr);
    expect(attrs).toEqual(["id", "part.kind", "part.size"]);
  });
});

test("the origin of a constant has no place", () => {
  const [origin] = compile("payload: { a: { value: v } }", object({ a: text })).origins(rowOf({}));
  expect(origin).toStrictEqual({ attr: "a", from: "value", value: "v" });
});

test("a build state that was reset matches a new build state", () => {
  const build = newBuildState();
  build.path.push("a", 0);
  build.problems.push({ attr: "a", code: "required", severity: "error", by: "local" });
  Object.assign(build, { cells: 3, characters: 7 });
  resetBuildState(build);
  expect(build).toEqual(newBuildState());
});
