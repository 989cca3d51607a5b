import { expect, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { boolean, choice, compile, integer, object, rowOf, text, union } from "../rows.ts";

function points(first: FieldType, second: FieldType): FieldType {
  const [one, two] = [object({ "kind!": first, n: integer }), object({ "kind!": second, n: text })];
  const tag = (type: FieldType, index: number): string =>
    type.kind === "choice" ? String(type.choices[0]) : String(index === 0);
  const mapping = new Map([
    [tag(first, 0), one],
    [tag(second, 1), two],
  ]);
  return object({ point: union([one, two], { property: "kind", mapping }) });
}

test.each<[string, FieldType, FieldType, string, readonly [string, string], unknown, unknown]>([
  ["true and false", choice(true), choice(false), "T", ["true", "false"], true, false],
  ["true and false without choices", boolean, boolean, "T", ["true", "false"], true, false],
  [
    "the words for true and false",
    choice(true),
    choice(false),
    "{ from: T, true: [Y], false: [N] }",
    ["Y", "N"],
    true,
    false,
  ],
  ["numbers", choice(1), choice(2), "T", ["1", "2"], 1, 2],
  ["numbers from a lookup", choice(1), choice(2), "{ from: T, lookup: { A: 1, B: 2 } }", ["A", "B"], 1, 2],
])("a discriminator can be %s", (_, first, second, tag, [a, b], one, two) => {
  const mapping = compile(`payload: { point: { kind: ${tag}, n: N } }`, points(first, second));
  expect(mapping.map(rowOf({ T: a, N: "5" }))).toMatchObject({ payload: { point: { kind: one, n: 5 } }, problems: [] });
  expect(mapping.map(rowOf({ T: b, N: "5" }))).toMatchObject({
    payload: { point: { kind: two, n: "5" } },
    problems: [],
  });
});

test("a constant discriminator can be a number or a boolean", () => {
  const mapped = (types: FieldType, value: string): unknown =>
    compile(`payload: { point: { kind: { value: ${value} }, n: N } }`, types).map(rowOf({ N: "5" })).payload;
  expect(mapped(points(choice(1), choice(2)), "2")).toEqual({ point: { kind: 2, n: "5" } });
  expect(mapped(points(choice(true), choice(false)), "true")).toEqual({ point: { kind: true, n: 5 } });
});
