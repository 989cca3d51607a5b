import { describe, expect, test } from "vitest";
import { readMapping } from "../../../src/map/document/mapping-document.ts";
import type { RowOrder } from "../../../src/model/source-spec.ts";
import { placesInOrder, ranksOf } from "../../../src/read/join/arrange-rows.ts";

function inOrder(texts: readonly string[], order: RowOrder): readonly string[] {
  return placesInOrder(ranksOf(texts, order)).flatMap((place) => texts[place] ?? []);
}

function declared(order: string): RowOrder {
  const text = `payload: {}\nsources: { rows: { orderBy: ${order} } }`;
  const { orderBy } = readMapping({ file: "mapping.yaml", text }).sources.get("rows") ?? {};
  if (orderBy === undefined) throw new Error("the source has no order");
  return orderBy;
}

describe.each<[string, RowOrder]>([
  ["without a declared type", { column: "SEQ" }],
  ["as numbers", declared("{ column: SEQ, as: number }")],
])("rows are ordered by numbers %s", (_, order) => {
  test.each([
    ["with more digits than JavaScript can represent", ["20240101123000123", "20240101123000124"]],
    ["with many decimal places", ["20240101123000.1234567", "20240101123000.1234568"]],
    ["of different lengths", ["-90071992547409931", "9", "10", "9007199254740993", "9007199254740993.5"]],
  ])("%s", (_title, sorted) => {
    expect(inOrder(sorted.toReversed(), order)).toEqual(sorted);
  });

  test("and rows with equal numbers keep their order", () => {
    const texts = ["1.0", "1.00000000000000000000", "01", "1"];
    expect(inOrder(texts, order)).toEqual(texts);
    expect(inOrder(texts.toReversed(), order)).toEqual(texts.toReversed());
  });
});

test.each([
  ["hexadecimal", ["0x10", "0x9"]],
  ["binary", ["0b10", "0b9", "1"]],
  ["an exponent", ["1E3", "2E2"]],
  ["digits with a point at the end", ["10.", "9"]],
  ["an infinity", ["-Infinity", "10", "9"]],
])("rows without a declared type are ordered as text if a cell is %s", (_title, sorted) => {
  expect(inOrder(sorted.toReversed(), { column: "SEQ" })).toEqual(sorted);
});
