import { describe, expect, test } from "vitest";
import type { LeafNode, MappingNode } from "../../../src/map/node/mapping-node.ts";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { formatPlace } from "../../../src/model/place.ts";
import {
  anything,
  boolean,
  choice,
  compile,
  failureOf,
  integer,
  jsonRow,
  list,
  NO_VALUES,
  object,
  text,
} from "../rows.ts";
import { leafIssue, leafProblems, mapLeaf } from "./leaf.ts";

const REFERENCE = "docs/mapping.md describes every entry of a mapping";

describe("an option that does not fit the contract", () => {
  test.each([
    ["{ from: A, split: x }", text, "leaf.split: produces a list from a cell, but the contract has no list here"],
    ["{ from: A, split: '' }", list(text), "leaf.split: must be the text between the parts"],
    [
      "{ from: A, keepEmpty: true }",
      integer,
      "leaf.keepEmpty: sends empty text, but the contract does not allow text here",
    ],
    ["{ value: x }", integer, "leaf.value: is not an integer"],
    ["{ from: A, default: x }", integer, "leaf.default: is not an integer"],
  ])("is reported at the option: %s", (leaf, type, error) =>
    expect(leafIssue(leaf, type)).toEqual({ error, hint: REFERENCE }),
  );
});

describe("a placeholder", () => {
  const supplier = { ...NO_VALUES, supplier: "SUP" };
  test("may contain spaces, and may occur several times", () =>
    expect(mapLeaf('{ value: "${ supplier }/${supplier}" }', text, {}, supplier)).toEqual(["SUP/SUP"]));
  test("is replaced in a default", () =>
    expect(mapLeaf('{ from: A, default: "${supplier}" }', text, { A: "" }, supplier)).toEqual(["SUP"]));
  test.each([
    [
      "${supplier}",
      "requires the import supplier",
      "use --supplier <code>, or set `supplier` in the configuration file",
    ],
    ["${ suplier }", "${ suplier } is not a known placeholder", 'did you mean "supplier"?'],
  ])("without a value is rejected with one error, even for a field with choices: %s", (written, error, hint) => {
    const issue = { error: `leaf.value: ${error}`, hint };
    expect(leafIssue(`{ value: '${written}' }`)).toEqual(issue);
    expect(leafIssue(`{ value: '${written}' }`, choice("A"))).toEqual(issue);
  });
});

function mapJson(leaf: string, type: FieldType, row: JsonObject): JsonValue | undefined {
  return compile(`payload: { leaf: ${leaf} }`, object({ leaf: type })).map(jsonRow(row)).payload["leaf"];
}

describe("objects and lists in JSON cells", () => {
  test.each([[{ b: 1 }], [[2]]])("are not joined to text (%j)", (value) => {
    const leaf = '{ from: [A, B, C], join: " " }';
    expect(mapJson(leaf, text, { A: "a", B: value, C: "c" })).toEqual(value);
  });
  test("do not match a condition", () => {
    const leaf = "{ value: v, when: { column: K, in: [x] } }";
    expect(mapJson(leaf, text, { K: "x" })).toBe("v");
    expect(mapJson(leaf, text, { K: { x: "x" } })).toBeUndefined();
  });
  test("count as non-empty values", () =>
    expect(mapJson("{ from: [A, B] }", anything, { A: null, B: { b: 1 } })).toEqual({ b: 1 }));
  test("become items of a list unchanged", () => {
    const leaf = '{ from: A, split: ",", upper: true }';
    expect(mapJson(leaf, list(anything), { A: [{ a: "x" }, " b ", null, ["c"]] })).toEqual([{ a: "x" }, "B", ["c"]]);
    expect(mapJson(leaf, list(anything), { A: { a: "x" } })).toEqual([{ a: "x" }]);
  });
});

describe("several columns:", () => {
  test("a problem is located in the first column that is not blank or, if all are blank, in the first column", () => {
    const leaf = "{ from: [A, B], true: Y }";
    expect(leafProblems(leaf, boolean, { A: " ", B: "x" })).toMatchObject([{ place: { column: "B" } }]);
    expect(leafProblems(leaf, boolean, { A: "x", B: "Y" })).toMatchObject([{ place: { column: "A" } }]);
    const kept = compile("payload: { leaf: { from: [A, B], keepEmpty: true } }", object({ leaf: text }));
    expect(kept.locate(jsonRow({ A: "", B: " " }), ["leaf"])).toMatchObject({ pointer: "/0/A" });
  });
  test("a problem of a joined value lists all cells of the value", () => {
    const [problem] = leafProblems('{ from: [A, B, C], join: "", true: Y }', boolean, { A: "", B: "x", C: "z" });
    expect(problem?.place).toMatchObject({ column: "B", cells: [{ column: "A" }, { column: "B" }, { column: "C" }] });
    expect(problem?.place && formatPlace(problem.place)).toBe("accounts.csv:2, columns A, B, C");
    const mapping = compile('payload: { leaf: { from: [A, B], join: "" } }', object({ leaf: text }));
    const place = mapping.locate(jsonRow({ A: "", B: "b" }), ["leaf"]);
    expect(place && formatPlace(place)).toMatch(/, at \/0\/A, \/0\/B$/);
  });
  test("a blank cell is skipped even if cells are not trimmed", () =>
    expect(mapLeaf("{ from: [A, B], trim: false }", text, { A: "  ", B: " b" })).toEqual([" b"]));
  test("join produces at most 1 MiB, including the text between the cells", () => {
    const leaf = '{ from: [A, B, C], join: "--" }';
    const third = (2 ** 20 - 4) / 3;
    const cells = { A: "a".repeat(third), B: "b".repeat(third), C: "c".repeat(third) };
    expect(mapLeaf(leaf, text, cells)).toEqual([`${cells.A}--${cells.B}--${cells.C}`]);
    const failure = failureOf(() => mapLeaf(leaf, text, { ...cells, C: `${cells.C}c` }));
    expect(failure).toMatchObject({
      code: "source_too_large",
      message: "accounts.csv:2: `join` produces more than 1,048,576 characters",
      hint: "shorten the text that `replace` or `join` in the mapping produces, or correct the row",
      place: { file: "accounts.csv", line: 2 },
    });
  });
});

test("split is applied before replace, which then applies once to each part", () => {
  const leaf = '{ from: A, split: ",", replace: [[",", ";"], ["a", "aa"]] }';
  expect(mapLeaf(leaf, list(text), { A: "a,b" })).toEqual([["aa", "b"]]);
});

function leafNode(leaf: string, type: FieldType = text): LeafNode {
  const node = fieldOf(compile(`payload: { leaf: ${leaf} }`, object({ leaf: type })).payloadNode);
  if (node?.kind === "split") return node.leaf;
  if (node?.kind !== "leaf") throw new Error("no leaf");
  return node;
}

function fieldOf(node: MappingNode | undefined): MappingNode | undefined {
  return node?.kind === "object" ? node.fields[0]?.node : undefined;
}

describe("a compiled leaf", () => {
  test.each(["A", "{ from: A }", "{ from: [A] }", "{ from: A, default: d }", "{ from: A, trim: true, upper: false }"])(
    "is a copy of its column if nothing changes the text: %s",
    (leaf) => expect(leafNode(leaf).isCopied).toBe(true),
  );
  test.each([
    "{ value: v }",
    "{ from: [A, B] }",
    "{ from: A, trim: false }",
    "{ from: A, keepEmpty: true }",
    "{ from: A, upper: true }",
    "{ from: A, lower: true }",
    "{ from: A, replace: { a: b } }",
    "{ from: A, lookup: { a: b } }",
    "{ from: A, when: { column: K, in: [x] } }",
  ])("is not a copy of its column if an option changes or selects the text: %s", (leaf) =>
    expect(leafNode(leaf).isCopied).toBe(false),
  );
  test("is not a copy of its column if the text is split", () =>
    expect(leafNode('{ from: A, split: "," }', list(text)).isCopied).toBe(false));
  test.each([
    ["{ value: v }", []],
    ["A", ["A"]],
    ["{ from: [B, A, B] }", ["B", "A"]],
    ["{ from: A, when: { column: K, in: [x] } }", ["A", "K"]],
    ["{ from: A, when: { column: A, in: [x] } }", ["A"]],
    ["{ value: v, when: { column: K, in: [x] } }", ["K"]],
  ])("depends on its columns and on the column of its condition: %s", (leaf, columns) =>
    expect(leafNode(leaf).columns).toEqual(columns),
  );
});
