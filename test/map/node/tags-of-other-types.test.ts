import { expect, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { boolean, choice, compile, integer, object, rowOf, text, union } from "../rows.ts";

type Tag = string | number | boolean;

/** Returns the type of a payload whose point has one of two types. The values `one` and `two` of `kind` select them. */
function points(one: Tag, two: Tag, [first, second] = [choice(one), choice(two)]): FieldType {
  const [left, right] = [object({ "kind!": first, n: integer }), object({ "kind!": second, n: text })];
  const mapping = new Map([
    [String(one), left],
    [String(two), right],
  ]);
  return object({ point: union([left, right], { property: "kind", mapping }) });
}

function payloadOf(types: FieldType, kind: string, cell = ""): unknown {
  const mapping = compile(`payload: { point: { kind: ${kind}, n: N } }`, types);
  const { payload, problems } = mapping.map(rowOf({ T: cell, N: "5" }));
  expect(problems).toEqual([]);
  return payload;
}

test.each([
  { title: "true and false", types: points(true, false), kind: "T", cells: ["true", "false"] },
  {
    title: "true and false without choices",
    types: points(true, false, [boolean, boolean]),
    kind: "T",
    cells: ["true", "false"],
  },
  {
    title: "the words for true and false",
    types: points(true, false),
    kind: "{ from: T, true: [Y], false: [N] }",
    cells: ["Y", "N"],
  },
])("a discriminator can be $title", ({ types, kind, cells: [yes = "", no = ""] }) => {
  expect(payloadOf(types, kind, yes)).toEqual({ point: { kind: true, n: 5 } });
  expect(payloadOf(types, kind, no)).toEqual({ point: { kind: false, n: "5" } });
});

test.each([
  { title: "numbers", kind: "T", cells: ["1", "2"] },
  { title: "numbers from a lookup", kind: "{ from: T, lookup: { A: 1, B: 2 } }", cells: ["A", "B"] },
])("a discriminator can be $title", ({ kind, cells: [one = "", two = ""] }) => {
  expect(payloadOf(points(1, 2), kind, one)).toEqual({ point: { kind: 1, n: 5 } });
  expect(payloadOf(points(1, 2), kind, two)).toEqual({ point: { kind: 2, n: "5" } });
});

test("a constant discriminator can be a number or a boolean", () => {
  expect(payloadOf(points(1, 2), "{ value: 2 }")).toEqual({ point: { kind: 2, n: "5" } });
  expect(payloadOf(points(true, false), "{ value: true }")).toEqual({ point: { kind: true, n: 5 } });
});
