import { describe, expect, test } from "vitest";
import type { FieldType, ObjectType, UnionType } from "../../../src/contract/types/field-type.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
import { narrowType, type Variants } from "../../../src/map/node/union-variants.ts";
import { boolean, choice, integer, list, nullableText, object, text, union } from "../rows.ts";

const note = object({ note: text });
const size = object({ size: integer });

function variantsOf(type: FieldType, entry: JsonValue = { note: "A", size: "B" }): Variants {
  const narrowed = narrowType(entry, type);
  if (narrowed.kind !== "variants") throw new Error(`narrowed to ${narrowed.kind}`);
  return narrowed;
}

describe("the types that match an entry", () => {
  test.each([text, note, list(text)])("are only the type itself if the type is not a union", (type) => {
    expect(narrowType("A", type)).toBe(type);
    expect(narrowType({ note: "A" }, type)).toBe(type);
  });
  test("are the only object of the union, unless the entry is a leaf and the union has scalars", () => {
    expect(narrowType({ note: "A" }, union([text, note]))).toBe(note);
    expect(narrowType({ from: "A", note: "B" }, union([text, note]))).toBe(note);
    expect(narrowType("A", union([note, list(text)]))).toBe(note);
    expect(narrowType({ from: "A" }, union([text, note]))).toMatchObject({ kind: "union", options: [text, note] });
    expect(narrowType(["A"], union([text, note]))).toMatchObject({ kind: "union", options: [text, note] });
  });
  test("are all options if the union has neither an object nor a list", () =>
    expect(narrowType({ note: "A" }, union([text, integer]))).toMatchObject({
      kind: "union",
      options: [text, integer],
    }));
  test.each([[["A"]], [{ each: "children", item: "A" }], [{ from: "A", split: ";" }]])(
    "are the list of the union if the entry is a list: %j",
    (entry) => expect(narrowType(entry, union([note, list(text)]))).toMatchObject({ kind: "list", items: text }),
  );
  test("are a list with the items of all lists if the union has only lists, for any entry", () => {
    const lists = union([list(text), list(integer)]);
    const items = { kind: "union", options: [text, integer] };
    expect(narrowType(["A"], lists)).toMatchObject({ kind: "list", items });
    expect(narrowType({ from: "A", split: "," }, lists)).toMatchObject({ kind: "list", items });
    expect(narrowType("A", lists)).toMatchObject({ kind: "list", items });
  });
  test.each(["A", null, { kind: null }, { kind: "K" }])("are all objects for the entry %j", (entry) => {
    const discriminator = { property: "kind", mapping: new Map<string, ObjectType>() };
    expect(variantsOf(union([note, size], discriminator), entry).merged.names).toEqual(["note", "size"]);
  });
  test("include each option of nested unions once, even if a union contains itself", () => {
    const options: FieldType[] = [size];
    const inner: UnionType = { kind: "union", options, nullable: false, deprecated: false, validators: [] };
    options.push(inner);
    expect(variantsOf(union([note, inner])).merged.names).toEqual(["note", "size"]);
    expect(narrowType("A", union([text, union([integer])]))).toMatchObject({ options: [text, integer] });
  });
});

describe("the fields of several objects", () => {
  const one = object({
    "kind!": choice("A"),
    "same!": text,
    differs: text,
    "extra!": text,
    "set!~": text,
    "some~": text,
    "lone~": text,
  });
  const two = object({ "kind!": choice("B"), "same!": text, "differs!": nullableText, "set!~": text, some: text });
  const mapping = new Map([
    ["A", one],
    ["B", two],
  ]);
  const merged = () => variantsOf(union([one, two], { property: "kind", mapping })).merged;

  test("are named once, in the order of the contract", () =>
    expect(merged().names).toEqual(["kind", "same", "differs", "extra", "set", "some", "lone"]));
  test("are required if every object requires them", () =>
    expect(merged().names.filter(merged().isRequired)).toEqual(["kind", "same", "set"]));
  test("are read-only if they are read-only in every object", () =>
    expect(merged().names.filter(merged().isReadOnly)).toEqual(["set"]));
  test("accept the values that any object accepts", () => {
    expect(merged().typeOf("same")).toBe(text);
    expect(merged().typeOf("extra")).toBe(text);
    expect(merged().typeOf("other")).toBeUndefined();
    expect(merged().typeOf("differs")).toEqual({
      kind: "union",
      options: [text, nullableText],
      nullable: true,
      deprecated: false,
      validators: [],
    });
    const { merged: strict } = variantsOf(union([object({ a: text }), object({ a: integer })]));
    expect(strict.typeOf("a")).toMatchObject({ options: [text, integer], nullable: false });
  });
  test("include the discriminator, whose choices are the values that select an object", () => {
    const allowed = { kind: "choice", choices: ["A", "B"], nullable: false, deprecated: false, validators: [] };
    expect(merged().typeOf("kind")).toEqual(allowed);
  });
  test.each([
    { title: "booleans", types: [choice(true), choice(false)], tags: ["true", "false"], choices: [true, false] },
    { title: "booleans without choices", types: [boolean, boolean], tags: ["true", "false"], choices: [true, false] },
    { title: "numbers", types: [choice(1), choice(2)], tags: ["1", "2"], choices: [1, 2] },
    { title: "strings of digits", types: [choice("1"), choice("2")], tags: ["1", "2"], choices: ["1", "2"] },
  ])("include a discriminator whose values are $title", ({ types, tags, choices }) => {
    const options = types.map((type) => object({ "kind!": type }));
    const byTag = new Map(options.map((option, index) => [tags[index] ?? "", option]));
    const { merged: tagged } = variantsOf(union(options, { property: "kind", mapping: byTag }));
    expect(tagged.typeOf("kind")).toMatchObject({ kind: "choice", choices });
  });
  test("include a discriminator without a mapping, which accepts the values of any object", () => {
    const unmapped = variantsOf(union([one, two], { property: "kind", mapping: new Map() }));
    expect(unmapped.merged.typeOf("kind")).toMatchObject({ kind: "union", options: [choice("A"), choice("B")] });
  });
});
