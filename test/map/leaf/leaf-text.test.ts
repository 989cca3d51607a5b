import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choice, compile, failureOf, integer, jsonRow, list, NO_VALUES, object, rowOf, text } from "../rows.ts";
import { type Cells, mapLeaf, leafError } from "./leaf.ts";

describe("trim, upper, lower:", () => {
  test("cells are trimmed unless trim is false", () => {
    expect(mapLeaf("{ from: A }", text, { A: " a b " })).toEqual(["a b"]);
    expect(mapLeaf("{ from: A, trim: false }", text, { A: " a " })).toEqual([" a "]);
  });
  test("upper and lower change the case", () => {
    expect(mapLeaf("{ from: A, upper: true }", text, { A: "sw1a" })).toEqual(["SW1A"]);
    expect(mapLeaf("{ from: A, lower: true }", text, { A: "A@B" })).toEqual(["a@b"]);
    expect(mapLeaf("{ from: A, upper: false, lower: true }", text, { A: "A" })).toEqual(["a"]);
  });
  test("upper and lower are mutually exclusive", () =>
    expect(leafError("{ from: A, upper: true, lower: true }")).toContain("`upper` and `lower`"));
  test("a flag must be true or false", () => expect(leafError("{ from: A, trim: no }")).toContain("true or false"));
});

describe("join and split:", () => {
  test("join skips empty cells", () =>
    expect(mapLeaf('{ from: [A, B, C], join: " " }', text, { A: "a", B: "", C: "c" })).toEqual(["a c"]));
  test("join of empty cells is empty", () =>
    expect(mapLeaf('{ from: [A, B], join: "-" }', text, { A: "", B: "" })).toEqual([undefined]));
  test("join requires several columns", () =>
    expect(leafError("{ from: A, join: x }")).toContain("at least two columns"));
  test("split creates a list of trimmed and typed parts", () => {
    expect(mapLeaf('{ from: A, split: ";" }', list(text), { A: "01; 02;;03 " })).toEqual([["01", "02", "03"]]);
    expect(mapLeaf('{ from: A, split: ",", upper: true }', list(text), { A: "a,b" })).toEqual([["A", "B"]]);
    expect(mapLeaf('{ from: A, split: "," }', list(integer), { A: "1,x,3" })).toEqual([[1, "x", 3], "invalid"]);
    expect(mapLeaf('{ from: A, split: "," }', list(text), { A: " , " })).toEqual([undefined]);
  });
  test("split accepts a JSON list unchanged", () => {
    const mapping = compile('payload: { tags: { from: t, split: "," } }', object({ tags: list(text) }));
    expect(mapping.map(jsonRow({ t: ["a", 7, null, "c,d"] })).payload).toEqual({ tags: ["a", "7", "c,d"] });
  });
  test("split is required for lists of scalars and rejected elsewhere", () => {
    expect(leafError('{ from: A, split: "," }')).toContain("no list here");
    expect(leafError('{ from: A, split: "," }', list(object({ a: text })))).toContain("requires objects");
    expect(leafError('{ from: A, split: "" }', list(text))).toContain("between the parts");
    expect(leafError("A", list(text))).toContain("is a list in the contract");
  });
});

describe("replace:", () => {
  test("every occurrence of a literal string is replaced, in each form of the option", () => {
    expect(mapLeaf('{ from: A, replace: { from: "-", to: "" } }', text, { A: "1-2-3" })).toEqual(["123"]);
    expect(mapLeaf('{ from: A, replace: { "-": "", ".": "," } }', text, { A: "1-2.3" })).toEqual(["12,3"]);
    expect(mapLeaf('{ from: A, replace: [["a", "b"], ["b", "c"]] }', text, { A: "ab" })).toEqual(["cc"]);
    expect(mapLeaf('{ from: A, replace: [{ from: "$", to: "$&" }] }', text, { A: "$1" })).toEqual(["$&1"]);
  });
  test("pairs are applied in the order of the file, even if the text to replace consists of digits", () => {
    expect(mapLeaf('{ from: A, replace: { "+": "0", "044": x, "44": y } }', text, { A: "+44" })).toEqual(["x"]);
    expect(mapLeaf('{ from: A, replace: { b: "1", 1: c } }', text, { A: "b" })).toEqual(["c"]);
  });
  test("a literal string is not treated as a regular expression", () =>
    expect(mapLeaf('{ from: A, replace: { ".": "" } }', text, { A: "a.b" })).toEqual(["ab"]));
  test("a regular expression is given as `pattern`", () => {
    expect(mapLeaf('{ from: A, replace: { pattern: "[^0-9]+", to: "" } }', text, { A: "0770 (0)9" })).toEqual([
      "077009",
    ]);
    expect(mapLeaf('{ from: A, replace: { pattern: "^0(\\\\d)", to: "+44$1" } }', text, { A: "0770" })).toEqual([
      "+44770",
    ]);
  });
  test("a cell that becomes empty is treated as an empty cell", () =>
    expect(mapLeaf('{ from: A, replace: { "N/A": "" } }', text, { A: "N/A" })).toEqual([undefined]));
  test("an expression that may take exponential time is rejected", () =>
    expect(leafError('{ from: A, replace: { pattern: "(a+)+$", to: "" } }')).toContain("unlimited repeat"));
  test("invalid options are rejected", () => {
    expect(leafError('{ from: A, replace: "x" }')).toContain("must be { from");
    expect(leafError("{ from: A, replace: { a: 1 } }")).toContain("numbers in quotes");
    expect(leafError("{ from: A, replace: { from: a, pattern: b, to: c } }")).toContain("cannot be used together");
    expect(leafError("{ from: A, replace: { pattern: 5, to: c } }")).toContain("<regular expression>");
    expect(leafError("{ from: A, replace: { from: a, too: c } }")).toContain('did you mean "to"?');
  });
});

describe("lookup:", () => {
  const table = "lookup: { D: DOMESTIC, B: BUSINESS, 01: ONE }";
  test("a code is translated to its value", () => {
    expect(mapLeaf(`{ from: A, ${table} }`, text, { A: "D" })).toEqual(["DOMESTIC"]);
    expect(mapLeaf(`{ from: A, ${table} }`, text, { A: "01" })).toEqual(["ONE"]);
    expect(mapLeaf(`{ from: A, upper: true, ${table} }`, text, { A: "b" })).toEqual(["BUSINESS"]);
  });
  test("depending on `otherwise`, an unknown code is an error, is kept, or is treated as empty", () => {
    expect(mapLeaf(`{ from: A, ${table} }`, text, { A: "X" })).toEqual(["X", "invalid_choice"]);
    expect(mapLeaf(`{ from: A, ${table}, otherwise: error }`, text, { A: "X" })).toEqual(["X", "invalid_choice"]);
    expect(mapLeaf(`{ from: A, ${table}, otherwise: keep }`, text, { A: "X" })).toEqual(["X"]);
    expect(mapLeaf(`{ from: A, ${table}, otherwise: empty }`, text, { A: "X" })).toEqual([undefined]);
    expect(mapLeaf(`{ from: A, ${table}, otherwise: empty, default: z }`, text, { A: "X" })).toEqual(["z"]);
  });
  test("a problem contains the unknown code and the known codes", () => {
    const mapping = compile(`payload: { leaf: { from: A, ${table} } }`, object({ leaf: text }));
    expect(mapping.map(rowOf({ A: "X9" })).problems).toEqual([
      {
        attr: "leaf",
        code: "invalid_choice",
        choices: ["D", "B", "01"],
        found: "X9",
        severity: "error",
        by: "local",
        place: { file: "accounts.csv", line: 2, column: "A", columnNumber: 1 },
        shape: "A9",
      },
    ]);
  });
  test("an empty cell is looked up only if the table has an entry for it", () => {
    expect(mapLeaf(`{ from: A, ${table} }`, text, { A: "" })).toEqual([undefined]);
    expect(mapLeaf('{ from: A, lookup: { "": NONE } }', text, { A: "" })).toEqual(["NONE"]);
    expect(mapLeaf('{ from: A, lookup: { X: "" } }', text, { A: "X" })).toEqual([undefined]);
  });
  test("values have the type that the contract requires", () => {
    expect(mapLeaf('{ from: A, lookup: { a: 1, b: "2" } }', integer, { A: "b" })).toEqual([2]);
    expect(leafError("{ from: A, lookup: { a: x } }", integer)).toContain('the value for "a" is not an integer');
    expect(leafError("{ from: A, lookup: { a: GASS } }", choice("GAS"))).toContain('did you mean "GAS"?');
  });
  test("a table can be read from a file", () => {
    const lookups = new Map([["codes/types.csv", new Map([["D", "DOMESTIC"]])]]);
    const values = { ...NO_VALUES, lookups };
    expect(mapLeaf("{ from: A, lookup: codes/types.csv }", text, { A: "D" }, values)).toEqual(["DOMESTIC"]);
    expect(leafError("{ from: A, lookup: codes/typos.csv }", text, values)).toContain("codes/typos.csv was not read");
  });
  test("invalid options are rejected", () => {
    expect(leafError("{ from: A, lookup: [a] }")).toContain("a table (code: value)");
    expect(leafError("{ from: A, otherwise: keep }")).toContain("has no effect without `lookup`");
    expect(leafError("{ from: A, lookup: { a: b }, otherwise: drop }")).toContain("`keep`, `empty` or `error`");
  });
});

const doubling = (rules: number): string =>
  `{ from: A, replace: [${Array.from({ length: rules }, () => "{ from: a, to: aaaaaaaaaa }").join(", ")}] }`;
const tooLarge = (leaf: string, cells: Cells): string => {
  const failure = failureOf(() => mapLeaf(leaf, text, cells));
  expect(failure.code).toBe("source_too_large");
  return failure.message;
};

describe("size limits of strings", () => {
  test("end the run at the row if replace produces more than 1 MiB", () => {
    expect(mapLeaf(doubling(4), text, { A: "a".repeat(10) })).toEqual(["a".repeat(100_000)]);
    expect(tooLarge(doubling(12), { A: "a".repeat(10) })).toMatch(/:\d+: `replace` produces more than 1,048,576/);
  });

  test.each(["x".repeat(200), "$$$&$&$&", "$'$'$'$'$'$'", "$`$`$`$`$`$`"])(
    "apply to `replace` with a pattern and the replacement %s",
    (to) => {
      const rule = JSON.stringify({ pattern: "a|x", to });
      const leaf = `{ from: A, replace: [${Array.from({ length: 40 }, () => rule).join(", ")}] }`;
      expect(tooLarge(leaf, { A: "a".repeat(200) })).toContain("`replace` produces more than");
    },
  );

  test("end the run if join produces more than 1 MiB", () => {
    const leaf = `{ from: [${Array.from({ length: 100 }, () => "A").join(", ")}], join: "" }`;
    expect(tooLarge(leaf, { A: "a".repeat(11_000) })).toContain("`join` produces more than 1,048,576");
  });

  test("do not apply to a long string from the source unless it becomes longer", () => {
    const mapping = compile("payload: { leaf: { from: t, replace: { a: b } } }", object({ leaf: text }));
    expect(mapping.map(jsonRow({ t: "a".repeat(2 ** 21) })).payload).toEqual({ leaf: "b".repeat(2 ** 21) });
  });

  test("end the run if a payload exceeds 16 MiB", () => {
    const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
    const fields = Object.fromEntries(names.map((name) => [name, text]));
    const mapping = compile(`payload: { ${names.map((name) => `${name}: A`).join(", ")} }`, object(fields));
    expect(failureOf(() => mapping.map(rowOf({ A: "a".repeat(2 ** 19) }))).message).toContain(
      "the payload has more than",
    );
    expect(Object.keys(mapping.map(rowOf({ A: "a" })).payload)).toHaveLength(40);
  });

  test("do not affect `replace` with a pattern: its result equals that of String.replace", () => {
    const signs = ["$$", "$&", "$`", "$'", "$", "a", " "];
    const groups = {
      "(a)(b)?": ["$1", "$2", "$10", "$01", "$29"],
      "(?<n>a)b*": ["$1", "$10", "$01", "$<n>"],
      "a+": [],
      "1": [],
    };
    const results = Object.entries(groups).map(([pattern, own]) =>
      fc.tuple(fc.constant(pattern), fc.array(fc.constantFrom(...signs, ...own), { maxLength: 6 })),
    );
    fc.assert(
      fc.property(fc.oneof(...results), fc.stringMatching(/^[ab1 ]{0,12}$/), ([pattern, parts], cell) => {
        const to = parts.join("");
        const leaf = JSON.stringify({ from: "A", trim: false, keepEmpty: true, replace: { pattern, to } });
        const [value = ""] = mapLeaf(leaf, text, { A: cell });
        expect(value).toBe(cell.replace(new RegExp(pattern, "gu"), to));
      }),
    );
  });
});

const columns = (count: number): string => `{ from: [${"A, ".repeat(count)}], join: " " }`;

test("a leaf names at most 100 columns", () => {
  expect(mapLeaf(columns(100), text, { A: "a" })).toEqual([Array(100).fill("a").join(" ")]);
  expect(leafError(columns(101))).toContain("payload.leaf.from: names 101 columns; name at most 100");
});
