import { describe, expect, test } from "vitest";
import type { FieldType, ObjectType } from "../../../src/contract/types/field-type.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { mappedAttrs } from "../../../src/map/node/mapped-attrs.ts";
import { choice, integer, list, object, text, union } from "../rows.ts";

/** Returns the possible values of each attr; null for an attr whose values the mapping does not define. */
function attrs(payload: JsonObject, type: FieldType): Readonly<Record<string, readonly string[] | null>> {
  return Object.fromEntries([...mappedAttrs(payload, type)].map(([attr, { values }]) => [attr, values ?? null]));
}

describe("the attrs of a payload", () => {
  test("include the payload itself, and enclosing objects before their fields", () => {
    const type = object({ id: text, contact: object({ phone: text, address: object({ city: text }) }) });
    const found = attrs({ contact: { address: { city: "CITY" }, phone: "PHONE" }, id: "ID" }, type);
    expect(Object.keys(found)).toEqual([
      "",
      "contact",
      "contact.address",
      "contact.address.city",
      "contact.phone",
      "id",
    ]);
    expect(Object.values(found)).toEqual([null, null, null, null, null, null]);
  });
  test("omit names that are not in the contract", () =>
    expect(attrs({ id: "ID", nmae: "NAME", other: { a: "A" } }, object({ id: text }))).toEqual({ "": null, id: null }));
  test("include additional properties of objects that allow them", () =>
    expect(attrs({ extra: { value: "x" } }, object({}, text))).toEqual({ "": null, extra: ["x"] }));
  test("use the name `*` for the items of a list", () => {
    const type = object({ tags: list(text), points: list(object({ id: text, kind: text })) });
    const items = { "": null, points: null, "points.*": null, "points.*.id": null };
    expect(attrs({ points: [{ id: "ID" }] }, type)).toEqual(items);
    expect(attrs({ points: [{ when: { column: "K", in: ["1"] }, item: { id: "ID" } }] }, type)).toEqual(items);
    expect(attrs({ points: [{ each: "points", item: { id: "ID" } }] }, type)).toEqual(items);
    expect(attrs({ points: { each: "points", item: { id: "ID" } } }, type)).toEqual(items);
    expect(attrs({ points: [{ id: "ID" }, { kind: "KIND" }] }, type)).toEqual({ ...items, "points.*.kind": null });
    expect(attrs({ tags: { from: "TAGS", split: "," } }, type)).toEqual({ "": null, tags: null, "tags.*": null });
  });
  test("include the items of a list even if its entry does not define an item", () =>
    expect(attrs({ points: [{ each: "points" }] }, object({ points: list(object({ id: text })) }))).toEqual({
      "": null,
      points: null,
      "points.*": null,
    }));
  test("do not include items of a list that is mapped like a column", () =>
    expect(attrs({ tags: "TAGS" }, object({ tags: list(text) }))).toEqual({ "": null, tags: null }));
  test("include the fields of all alternatives of a union, or of the alternative that a constant selects", () => {
    const call = object({ kind: choice("CALL"), phone: text });
    const letter = object({ kind: choice("LETTER"), street: text });
    const mapping = new Map<string, ObjectType>([
      ["CALL", call],
      ["LETTER", letter],
    ]);
    const type = object({ via: union([call, letter], { property: "kind", mapping }) });
    const fields = { phone: "P", street: "S" };
    const all = { "": null, via: null, "via.kind": null, "via.phone": null, "via.street": null };
    expect(attrs({ via: { kind: "K", ...fields } }, type)).toEqual(all);
    expect(attrs({ via: { kind: { value: "CALL" }, ...fields } }, type)).toEqual({
      "": null,
      via: null,
      "via.kind": ["CALL"],
      "via.phone": null,
    });
  });
});

describe("the possible values of an attr", () => {
  test.each([
    ["a constant", { value: "GB" }, ["GB"]],
    ["a constant that is not a string", { value: 7 }, ["7"]],
    ["the constant null", { value: null }, ["null"]],
    ["a table", { from: "A", lookup: { D: "DOMESTIC", B: 2 } }, ["DOMESTIC", "2"]],
    ["a table with a default", { from: "A", lookup: { D: "DOMESTIC" }, default: "NONE" }, ["DOMESTIC", "NONE"]],
    ["a table that rejects other codes", { from: "A", lookup: { D: "X" }, otherwise: "error" }, ["X"]],
    ["a table that empties other codes", { from: "A", lookup: { D: "X" }, otherwise: "empty" }, ["X"]],
    ["a table that keeps other codes", { from: "A", lookup: { D: "X" }, otherwise: "keep" }, null],
    ["a table file", { from: "A", lookup: "codes.csv" }, null],
    ["a column", "A", null],
    ["a column with a default", { from: "A", default: "z" }, null],
    ["a constant with a placeholder", { value: "x-${supplier}" }, null],
    ["a table with one placeholder", { from: "A", lookup: { D: "X", S: "${supplier}" } }, null],
  ])("are determined for %s", (_, leaf, values) =>
    expect(attrs({ a: leaf }, object({ a: text }))["a"]).toEqual(values),
  );

  test("are the values of all entries of a list literal", () => {
    const type = object({ tags: list(text), points: list(object({ id: integer })) });
    expect(attrs({ tags: [{ value: "a" }, { value: "b" }] }, type)["tags.*"]).toEqual(["a", "b"]);
    expect(attrs({ points: [{ id: { value: 1 } }, { id: { value: 2 } }] }, type)["points.*.id"]).toEqual(["1", "2"]);
  });
  test("are unknown if they are unknown for one entry of a list literal", () => {
    const type = object({ tags: list(text) });
    expect(attrs({ tags: ["TAG", { value: "b" }] }, type)["tags.*"]).toBeNull();
    expect(attrs({ tags: [{ value: "a" }, "TAG"] }, type)["tags.*"]).toBeNull();
    expect(attrs({ tags: [{ value: "a" }, "TAG", { value: "b" }] }, type)["tags.*"]).toBeNull();
  });
  test("of an object or a list are unknown, even if the object has a field called value", () => {
    const pair = object({ value: text });
    expect(attrs({ a: { value: { value: "x" } } }, object({ a: pair }))).toEqual({
      "": null,
      a: null,
      "a.value": ["x"],
    });
    expect(attrs({ a: { value: ["x"] } }, object({ a: list(text) }))["a"]).toBeNull();
    expect(
      attrs({ a: { value: { value: "x" } } }, object({ a: union([pair, object({ other: text })]) }))["a"],
    ).toBeNull();
  });
});
