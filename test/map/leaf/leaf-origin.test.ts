import { describe, expect, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import type { MappingFunctions } from "../../../src/map/leaf/function-calls.ts";
import { CallFault, type CallResult } from "../../../src/model/call-result.ts";
import type { Row } from "../../../src/model/record.ts";
import {
  anything,
  boolean,
  choice,
  compile,
  decimal,
  failureOf,
  integer,
  jsonRow,
  list,
  NO_VALUES,
  nullableText,
  number,
  object,
  rowOf,
  text,
  union,
} from "../rows.ts";
import { type Cells, mapLeaf, leafError } from "./leaf.ts";

describe("from:", () => {
  test("a plain column name is the short form of `from`", () => {
    expect(mapLeaf("A", text, { A: "00123" })).toEqual(["00123"]);
    expect(mapLeaf("{ from: A }", text, { A: "00123" })).toEqual(["00123"]);
  });
  test("a list of columns takes the first cell that is not empty", () => {
    expect(mapLeaf("{ from: [A, B, C] }", text, { A: " ", B: "b", C: "c" })).toEqual(["b"]);
    expect(mapLeaf("{ from: [A, B] }", text, { A: "", B: "" })).toEqual([undefined]);
  });
  test("a list of columns ignores an empty list of a JSON source", () => {
    const mapping = compile('payload: { tags: { from: [L, M], split: "," } }', object({ tags: list(text) }));
    expect(mapping.map(jsonRow({ L: [], M: "m,n" })).payload).toEqual({ tags: ["m", "n"] });
    expect(mapping.map(jsonRow({ L: ["l"], M: "m" })).payload).toEqual({ tags: ["l"] });
  });
  test("an empty cell is omitted", () => expect(mapLeaf("A", text, { A: "  " })).toEqual([undefined]));
  test("a leaf requires `from`, `call` or `value`", () =>
    expect(leafError("{ trim: true }")).toContain("has no column (from)"));
  test("a number is rejected as a column name", () =>
    expect(leafError("5")).toContain("a column (a string) or an object of options"));
  test("a column name that consists of digits must be quoted", () =>
    expect(mapLeaf('"2024"', text, { "2024": "x" })).toEqual(["x"]));
});

describe("value and default:", () => {
  const supplier = { ...NO_VALUES, supplier: "SUP" };
  test("value sets a constant", () => expect(mapLeaf("{ value: GB }", text, { A: "x" })).toEqual(["GB"]));
  test("constants have the type that the contract requires", () => {
    expect(mapLeaf("{ value: 12 }", integer, {})).toEqual([12]);
    expect(mapLeaf("{ value: false }", boolean, {})).toEqual([false]);
    expect(mapLeaf('{ value: "1.50" }', decimal, {})).toEqual(["1.50"]);
    expect(mapLeaf("{ value: null }", nullableText, {})).toEqual([null]);
    expect(mapLeaf("{ value: [1, { a: b }] }", anything, {})).toEqual([[1, { a: "b" }]]);
  });
  test("${supplier} is replaced by the import supplier", () =>
    expect(mapLeaf('{ value: "x-${supplier}" }', text, {}, supplier)).toEqual(["x-SUP"]));
  test("${supplier} requires --supplier", () => expect(leafError('{ value: "${supplier}" }')).toContain("--supplier"));
  test("${...} with any other name is rejected", () =>
    expect(leafError('{ value: "${suplier}" }', text, supplier)).toContain('did you mean "supplier"?'));
  test("a constant accepts no option except `when`", () =>
    expect(leafError("{ value: x, from: A, upper: true }")).toContain("cannot have from, upper"));
  test("a constant must match the type that the contract requires", () => {
    expect(leafError("{ value: maybe }", boolean)).toContain("is not a boolean");
    expect(leafError("{ value: 12 }", text)).toContain("in quotes");
    expect(leafError("{ value: null }", text)).toContain("is null");
    expect(leafError("{ value: { a: b } }", text)).toContain("must be a string");
    expect(leafError("{ value: GASS }", choice("GAS", "ELECTRICITY"))).toContain('did you mean "GAS"?');
  });
  test("a default fills only empty cells", () => {
    expect(mapLeaf("{ from: A, default: z }", text, { A: "" })).toEqual(["z"]);
    expect(mapLeaf("{ from: A, default: z }", text, { A: "a" })).toEqual(["a"]);
  });
  test("a default that can never apply is rejected", () => {
    expect(leafError('{ from: A, true: [Y], false: [""], default: true }', boolean)).toContain("never applies");
    expect(leafError('{ from: A, lookup: { "": x }, default: y }')).toContain("never applies");
  });
});

describe("when", () => {
  const leaf = "{ from: A, default: d, when: { column: K, in: [X, 1] } }";
  test("applies to rows with one of the values in the column", () => {
    expect(mapLeaf(leaf, text, { A: "a", K: " X " })).toEqual(["a"]);
    expect(mapLeaf(leaf, text, { A: "", K: "1" })).toEqual(["d"]);
    expect(mapLeaf(leaf, text, { A: "a", K: "Y" })).toEqual([undefined]);
  });
  test("applies to a constant", () => {
    expect(mapLeaf('{ value: v, when: { column: K, in: [""] } }', text, { K: "" })).toEqual(["v"]);
    expect(mapLeaf('{ value: v, when: { column: K, in: [""] } }', text, { K: "k" })).toEqual([undefined]);
  });
  test("applies to a list", () =>
    expect(mapLeaf('{ from: A, split: ",", when: { column: K, in: [1] } }', list(text), { A: "a", K: "2" })).toEqual([
      undefined,
    ]));
  test("rejects invalid options", () => {
    expect(leafError("{ from: A, when: { column: K } }")).toContain("column: <name>, in:");
    expect(leafError("{ from: A, when: K }")).toContain("column: <name>, in:");
    expect(leafError("{ from: A, when: { colunm: K, in: [x] } }")).toContain('did you mean "column"?');
  });
});

describe("keepEmpty", () => {
  test("sends an empty string", () => {
    expect(mapLeaf("{ from: A, keepEmpty: true }", text, { A: " " })).toEqual([""]);
    expect(mapLeaf("{ from: A, keepEmpty: true }", text, { A: "a" })).toEqual(["a"]);
    expect(mapLeaf("{ from: A, keepEmpty: true, lookup: { a: b } }", text, { A: "" })).toEqual([""]);
  });
  test("sends a cell as an empty string if the lookup treats it as empty", () => {
    expect(mapLeaf("{ from: A, keepEmpty: true, lookup: { a: '' } }", text, { A: "a" })).toEqual([""]);
    expect(mapLeaf("{ from: A, keepEmpty: true, lookup: { a: b }, otherwise: empty }", text, { A: "c" })).toEqual([""]);
  });
  test("leaves an empty cell to a lookup that defines a value for it", () => {
    expect(mapLeaf("{ from: A, keepEmpty: true, lookup: { '': none } }", text, { A: "" })).toEqual(["none"]);
  });
  test("is rejected for types that do not allow an empty string, and together with a default", () => {
    expect(leafError("{ from: A, keepEmpty: true }", integer)).toContain("sends empty text");
    expect(leafError("{ from: A, keepEmpty: true, default: x }")).toContain("cannot be used together");
  });
});

function calling(leaf: string): string {
  return `functions: ./functions.mjs\npayload: { leaf: ${leaf} }`;
}

/** Returns functions that run synchronously, without a worker thread. */
function functionsOf(byName: Readonly<Record<string, (text: string, row: Row) => CallResult>>): MappingFunctions {
  return {
    names: Object.keys(byName),
    evaluate: async (calls) => calls.map(({ name, text: value, row }) => byName[name]?.(value, row)),
    close: async () => undefined,
  };
}

describe("call:", () => {
  const functions = functionsOf({
    initials: (value, row) => `${value[0] ?? "?"}${row.line}`,
    size: (value) => value.length,
    nothing: () => undefined,
    broken: () => new CallFault("failed", "fix the function"),
    kindOf: (value) => (value === "x" ? "B" : "A"),
  });
  const values = { ...NO_VALUES, functions };
  const run = async (leaf: string, type: FieldType, cells: Cells): Promise<unknown> => {
    const mapping = compile(calling(leaf), object({ leaf: type }), values);
    const row = rowOf(cells);
    await mapping.prepare?.([row]);
    return mapping.map(row).payload["leaf"];
  };

  test("the value is the result of a user-defined function", async () => {
    expect(await run("{ from: A, call: initials }", text, { A: "abc" })).toBe("a2");
    expect(await run("{ from: A, call: size }", integer, { A: "abc" })).toBe(3);
    expect(await run("{ call: size }", integer, { A: "abc" })).toBe(0);
    expect(await run("{ from: A, call: nothing, default: d }", text, { A: "abc" })).toBe("d");
    expect(await run('{ from: A, split: ",", call: size }', list(integer), { A: "a,bcd,a" })).toEqual([1, 3, 1]);
  });
  test("an exception is reported with the row but without the value", async () => {
    const failure = await run("{ from: A, call: broken }", text, { A: "secret" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "mapping_invalid",
      message: 'the function "broken" failed on the row at accounts.csv:2',
      hint: "fix the function",
    });
  });
  test("a row cannot be mapped before its calls are evaluated", () => {
    const mapping = compile(calling("{ from: A, call: size }"), object({ leaf: integer }), values);
    expect(() => mapping.map(rowOf({ A: "abc" }))).toThrow("before its function calls were evaluated");
  });
  test("an attr can be located before the calls of its row are evaluated", () => {
    const leaf = '{ from: A, split: ",", call: size }';
    const mapping = compile(calling(leaf), object({ leaf: list(integer) }), values);
    expect(mapping.locate(rowOf({ A: "a,b" }), ["leaf", 1])).toMatchObject({ line: 2, column: "A" });
  });
  test("a result may select the fields of an object, including fields that also use calls", async () => {
    const one = object({ kind: choice("A"), size: integer });
    const other = object({ kind: choice("B"), first: text });
    const kinds = new Map([
      ["A", one],
      ["B", other],
    ]);
    const body = object({ leaf: union([one, other], { property: "kind", mapping: kinds }) });
    const yaml = calling(
      "{ kind: { from: A, call: kindOf }, size: { from: A, call: size }, first: { from: A, call: initials } }",
    );
    const mapping = compile(yaml, body, values);
    const rows = [rowOf({ A: "abc" }), rowOf({ A: "x" })];
    await mapping.prepare?.(rows);
    expect(rows.map((row) => mapping.map(row).payload["leaf"])).toMatchObject([
      { kind: "A", size: 3 },
      { kind: "B", first: "x2" },
    ]);
  });
  test("an unknown function is rejected", () => {
    const failure = failureOf(() => compile(calling("{ from: A, call: initialz }"), object({ leaf: text }), values));
    expect(failure.hint).toContain('did you mean "initials"?');
    expect(leafError("{ from: A, call: initials }")).toContain("functions: ./functions.mjs");
  });
});

describe("all leaves:", () => {
  test("an unknown option is rejected with a suggestion", () =>
    expect(leafError("{ fron: A, uper: true }")).toMatch(/leaf\.fron.*"from"[^]*leaf\.uper.*"upper"/));
  test("only one option may produce the value", () =>
    expect(leafError('{ from: A, date: "dd/MM/yyyy", lookup: { a: b } }')).toContain("cannot be used together"));
  test("values of numeric choices become numbers", () => {
    expect(mapLeaf("A", choice(0, 1, 2), { A: "1" })).toEqual([1]);
    expect(mapLeaf("A", choice(0, 1, 2), { A: "7" })).toEqual(["7"]);
    expect(mapLeaf("A", choice("1", 1), { A: "1" })).toEqual(["1"]);
  });
  test("a union of scalars takes the strictest type that fits", () => {
    expect(mapLeaf("A", union([text, integer]), { A: "12" })).toEqual([12]);
    expect(mapLeaf("A", union([text, integer]), { A: "x" })).toEqual(["x"]);
    expect(mapLeaf("A", union([boolean, integer]), { A: "x" })).toEqual(["x", "invalid"]);
  });
  test.each([
    [1e-7, "0.0000001"],
    [-1.5e-7, "-0.00000015"],
    [1e21, "1000000000000000000000"],
  ])("the JSON number %s is read without an exponent, even in a list", (value, shown) => {
    const body = object({ a: text, b: decimal, c: number, d: decimal, e: list(text) });
    const leaves = '{ a: n, b: n, c: n, d: { from: n, number: {} }, e: { from: l, split: "," } }';
    const { payload, problems } = compile(`payload: ${leaves}`, body).map(jsonRow({ n: value, l: [value] }));
    expect(problems).toEqual([]);
    expect(payload).toEqual({ a: shown, b: shown, c: value, d: shown, e: [shown] });
  });
  test("JSON numbers and booleans are read as strings, null is empty, and objects are invalid as text", () => {
    const body = object({ a: text, b: integer, c: boolean, d: text, e: text, f: anything });
    const mapped = compile("payload: { a: n, b: n, c: t, d: z, e: o, f: o }", body).map(
      jsonRow({ n: 12, t: true, z: null, o: { x: 1 } }),
    );
    expect(mapped.payload).toEqual({ a: "12", b: 12, c: true, e: { x: 1 }, f: { x: 1 } });
    expect(mapped.problems).toMatchObject([{ attr: "e", code: "invalid", expected: "string", shape: "object" }]);
  });
});
