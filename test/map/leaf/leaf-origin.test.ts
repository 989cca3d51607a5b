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
  object,
  rowOf,
  text,
  union,
} from "../rows.ts";
import { type Cells, made, refusal } from "./leaf.ts";

describe("from", () => {
  test("a column's name alone is the short form", () => {
    expect(made("A", text, { A: "00123" })).toEqual(["00123"]);
    expect(made("{ from: A }", text, { A: "00123" })).toEqual(["00123"]);
  });
  test("of a list the first that is not empty counts", () => {
    expect(made("{ from: [A, B, C] }", text, { A: " ", B: "b", C: "c" })).toEqual(["b"]);
    expect(made("{ from: [A, B] }", text, { A: "", B: "" })).toEqual([undefined]);
  });
  test("an empty cell is omitted", () => expect(made("A", text, { A: "  " })).toEqual([undefined]));
  test("a leaf needs from or value", () => expect(refusal("{ trim: true }")).toContain("neither from which column"));
  test("a number is no column", () => expect(refusal("5")).toContain("a column (a text) or an object of options"));
  test("a column whose name is made of digits is written in quotes", () =>
    expect(made('"2024"', text, { "2024": "x" })).toEqual(["x"]));
});

describe("value and default", () => {
  const supplier = { ...NO_VALUES, supplier: "SUP" };
  test("a constant", () => expect(made("{ value: GB }", text, { A: "x" })).toEqual(["GB"]));
  test("typed constants", () => {
    expect(made("{ value: 12 }", integer, {})).toEqual([12]);
    expect(made("{ value: false }", boolean, {})).toEqual([false]);
    expect(made('{ value: "1.50" }', decimal, {})).toEqual(["1.50"]);
    expect(made("{ value: null }", nullableText, {})).toEqual([null]);
    expect(made("{ value: [1, { a: b }] }", anything, {})).toEqual([[1, { a: "b" }]]);
  });
  test("${supplier} stands for the import supplier", () =>
    expect(made('{ value: "x-${supplier}" }', text, {}, supplier)).toEqual(["x-SUP"]));
  test("${supplier} without one", () => expect(refusal('{ value: "${supplier}" }')).toContain("--supplier"));
  test("any other ${...} is refused", () =>
    expect(refusal('{ value: "${suplier}" }', text, supplier)).toContain('did you mean "supplier"?'));
  test("a constant takes no options but when", () =>
    expect(refusal("{ value: x, from: A, upper: true }")).toContain("takes no from, upper"));
  test("a constant has to fit the contract", () => {
    expect(refusal("{ value: maybe }", boolean)).toContain("is not a boolean");
    expect(refusal("{ value: 12 }", text)).toContain("in quotes");
    expect(refusal("{ value: null }", text)).toContain("is null");
    expect(refusal("{ value: { a: b } }", text)).toContain("has to be a text");
    expect(refusal("{ value: GASS }", choice("GAS", "ELECTRICITY"))).toContain('did you mean "GAS"?');
  });
  test("a default fills empty cells only", () => {
    expect(made("{ from: A, default: z }", text, { A: "" })).toEqual(["z"]);
    expect(made("{ from: A, default: z }", text, { A: "a" })).toEqual(["a"]);
  });
  test("a default that can never apply is refused", () => {
    expect(refusal('{ from: A, true: [Y], false: [""], default: true }', boolean)).toContain("never applies");
    expect(refusal('{ from: A, lookup: { "": x }, default: y }')).toContain("never applies");
  });
});

describe("when", () => {
  const leaf = "{ from: A, default: d, when: { column: K, in: [X, 1] } }";
  test("applies to the rows whose column holds one of the values", () => {
    expect(made(leaf, text, { A: "a", K: " X " })).toEqual(["a"]);
    expect(made(leaf, text, { A: "", K: "1" })).toEqual(["d"]);
    expect(made(leaf, text, { A: "a", K: "Y" })).toEqual([undefined]);
  });
  test("of a constant", () => {
    expect(made('{ value: v, when: { column: K, in: [""] } }', text, { K: "" })).toEqual(["v"]);
    expect(made('{ value: v, when: { column: K, in: [""] } }', text, { K: "k" })).toEqual([undefined]);
  });
  test("of a list", () =>
    expect(made('{ from: A, split: ",", when: { column: K, in: [1] } }', list(text), { A: "a", K: "2" })).toEqual([
      undefined,
    ]));
  test("wrong forms", () => {
    expect(refusal("{ from: A, when: { column: K } }")).toContain("column: <name>, in:");
    expect(refusal("{ from: A, when: K }")).toContain("column: <name>, in:");
    expect(refusal("{ from: A, when: { colunm: K, in: [x] } }")).toContain('did you mean "column"?');
  });
});

describe("keepEmpty", () => {
  test("sends empty text", () => {
    expect(made("{ from: A, keepEmpty: true }", text, { A: " " })).toEqual([""]);
    expect(made("{ from: A, keepEmpty: true }", text, { A: "a" })).toEqual(["a"]);
    expect(made("{ from: A, keepEmpty: true, lookup: { a: b } }", text, { A: "" })).toEqual([""]);
  });
  test("only where text may stand, and not beside a default", () => {
    expect(refusal("{ from: A, keepEmpty: true }", integer)).toContain("sends empty text");
    expect(refusal("{ from: A, keepEmpty: true, default: x }")).toContain("cannot stand together");
  });
});

function calling(leaf: string): string {
  return `functions: ./functions.mjs\npayload: { leaf: ${leaf} }`;
}

/** Functions that need no thread. */
function functionsOf(byName: Readonly<Record<string, (text: string, row: Row) => CallResult>>): MappingFunctions {
  return {
    names: Object.keys(byName),
    evaluate: async (calls) => calls.map(({ name, text: value, row }) => byName[name]?.(value, row)),
    close: async () => undefined,
  };
}

describe("call", () => {
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

  test("a function of the user's makes the value", async () => {
    expect(await run("{ from: A, call: initials }", text, { A: "abc" })).toBe("a2");
    expect(await run("{ from: A, call: size }", integer, { A: "abc" })).toBe(3);
    expect(await run("{ call: size }", integer, { A: "abc" })).toBe(0);
    expect(await run("{ from: A, call: nothing, default: d }", text, { A: "abc" })).toBe("d");
    expect(await run('{ from: A, split: ",", call: size }', list(integer), { A: "a,bcd,a" })).toEqual([1, 3, 1]);
  });
  test("what it throws names the row and not the value", async () => {
    const failure = await run("{ from: A, call: broken }", text, { A: "secret" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "mapping_invalid",
      message: 'the function "broken" failed on the row at accounts.csv:2',
      hint: "fix the function",
    });
  });
  test("a row cannot be mapped before its calls are evaluated", () => {
    const mapping = compile(calling("{ from: A, call: size }"), object({ leaf: integer }), values);
    expect(() => mapping.map(rowOf({ A: "abc" }))).toThrow("before its function calls are evaluated");
  });
  test("an attr can be located in a row that was not prepared", () => {
    const leaf = '{ from: A, split: ",", call: size }';
    const mapping = compile(calling(leaf), object({ leaf: list(integer) }), values);
    expect(mapping.locate(rowOf({ A: "a,b" }), ["leaf", 1])).toMatchObject({ line: 2, column: "A" });
  });
  test("may decide which fields an object has, which then are made by calls, too", async () => {
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
  test("unknown functions", () => {
    const failure = failureOf(() => compile(calling("{ from: A, call: initialz }"), object({ leaf: text }), values));
    expect(failure.hint).toContain('did you mean "initials"?');
    expect(refusal("{ from: A, call: initials }")).toContain("functions: ./functions.mjs");
  });
});

describe("all leaves", () => {
  test("unknown options come with a suggestion", () =>
    expect(refusal("{ fron: A, uper: true }")).toMatch(/leaf\.fron.*"from"[^]*leaf\.uper.*"upper"/));
  test("only one option can make the value", () =>
    expect(refusal('{ from: A, date: "dd/MM/yyyy", lookup: { a: b } }')).toContain("only one of them can"));
  test("choices that are numbers become numbers", () => {
    expect(made("A", choice(0, 1, 2), { A: "1" })).toEqual([1]);
    expect(made("A", choice(0, 1, 2), { A: "7" })).toEqual(["7"]);
    expect(made("A", choice("1", 1), { A: "1" })).toEqual(["1"]);
  });
  test("of several scalar types the strictest that fits", () => {
    expect(made("A", union([text, integer]), { A: "12" })).toEqual([12]);
    expect(made("A", union([text, integer]), { A: "x" })).toEqual(["x"]);
    expect(made("A", union([boolean, integer]), { A: "x" })).toEqual(["x", "invalid"]);
  });
  test("JSON numbers and booleans go through their text; null is empty; objects do not fit", () => {
    const body = object({ a: text, b: integer, c: boolean, d: text, e: text, f: anything });
    const mapped = compile("payload: { a: n, b: n, c: t, d: z, e: o, f: o }", body).map(
      jsonRow({ n: 12, t: true, z: null, o: { x: 1 } }),
    );
    expect(mapped.payload).toEqual({ a: "12", b: 12, c: true, e: { x: 1 }, f: { x: 1 } });
    expect(mapped.problems).toMatchObject([{ attr: "e", code: "invalid", expected: "string", shape: "object" }]);
  });
});
