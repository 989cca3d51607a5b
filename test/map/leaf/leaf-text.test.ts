import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choice, compile, failureOf, integer, jsonRow, list, NO_VALUES, object, rowOf, text } from "../rows.ts";
import { type Cells, made, refusal } from "./leaf.ts";

describe("trim, upper, lower", () => {
  test("cells are trimmed unless trim is false", () => {
    expect(made("{ from: A }", text, { A: " a b " })).toEqual(["a b"]);
    expect(made("{ from: A, trim: false }", text, { A: " a " })).toEqual([" a "]);
  });
  test("letters", () => {
    expect(made("{ from: A, upper: true }", text, { A: "sw1a" })).toEqual(["SW1A"]);
    expect(made("{ from: A, lower: true }", text, { A: "A@B" })).toEqual(["a@b"]);
    expect(made("{ from: A, upper: false, lower: true }", text, { A: "A" })).toEqual(["a"]);
  });
  test("both are refused", () => expect(refusal("{ from: A, upper: true, lower: true }")).toContain("upper and lower"));
  test("a flag is true or false", () => expect(refusal("{ from: A, trim: no }")).toContain("true or false"));
});

describe("join and split", () => {
  test("join leaves empty cells out", () =>
    expect(made('{ from: [A, B, C], join: " " }', text, { A: "a", B: "", C: "c" })).toEqual(["a c"]));
  test("join of nothing is nothing", () =>
    expect(made('{ from: [A, B], join: "-" }', text, { A: "", B: "" })).toEqual([undefined]));
  test("join needs several columns", () => expect(refusal("{ from: A, join: x }")).toContain("several columns"));
  test("split makes a list, each part trimmed and typed", () => {
    expect(made('{ from: A, split: ";" }', list(text), { A: "01; 02;;03 " })).toEqual([["01", "02", "03"]]);
    expect(made('{ from: A, split: ",", upper: true }', list(text), { A: "a,b" })).toEqual([["A", "B"]]);
    expect(made('{ from: A, split: "," }', list(integer), { A: "1,x,3" })).toEqual([[1, "x", 3], "invalid"]);
    expect(made('{ from: A, split: "," }', list(text), { A: " , " })).toEqual([undefined]);
  });
  test("split takes a JSON list as it is", () => {
    const mapping = compile('payload: { tags: { from: t, split: "," } }', object({ tags: list(text) }));
    expect(mapping.map(jsonRow({ t: ["a", 7, null, "c,d"] })).payload).toEqual({ tags: ["a", "7", "c,d"] });
  });
  test("split is for lists of scalars, and lists of scalars need it", () => {
    expect(refusal('{ from: A, split: "," }')).toContain("no list here");
    expect(refusal('{ from: A, split: "," }', list(object({ a: text })))).toContain("wants objects");
    expect(refusal('{ from: A, split: "" }', list(text))).toContain("between the parts");
    expect(refusal("A", list(text))).toContain("is a list in the contract");
  });
});

describe("replace", () => {
  test("literal text, in all its forms, everywhere in the cell", () => {
    expect(made('{ from: A, replace: { from: "-", to: "" } }', text, { A: "1-2-3" })).toEqual(["123"]);
    expect(made('{ from: A, replace: { "-": "", ".": "," } }', text, { A: "1-2.3" })).toEqual(["12,3"]);
    expect(made('{ from: A, replace: [["a", "b"], ["b", "c"]] }', text, { A: "ab" })).toEqual(["cc"]);
    expect(made('{ from: A, replace: [{ from: "$", to: "$&" }] }', text, { A: "$1" })).toEqual(["$&1"]);
  });
  test("a text is not an expression", () =>
    expect(made('{ from: A, replace: { ".": "" } }', text, { A: "a.b" })).toEqual(["ab"]));
  test("an expression is called pattern", () => {
    expect(made('{ from: A, replace: { pattern: "[^0-9]+", to: "" } }', text, { A: "0770 (0)9" })).toEqual(["077009"]);
    expect(made('{ from: A, replace: { pattern: "^0(\\\\d)", to: "+44$1" } }', text, { A: "0770" })).toEqual([
      "+44770",
    ]);
  });
  test("what is replaced by nothing is an empty cell", () =>
    expect(made('{ from: A, replace: { "N/A": "" } }', text, { A: "N/A" })).toEqual([undefined]));
  test("expressions that may run for ages are refused", () =>
    expect(refusal('{ from: A, replace: { pattern: "(a+)+$", to: "" } }')).toContain("endless repeat"));
  test("wrong forms", () => {
    expect(refusal('{ from: A, replace: "x" }')).toContain("has to be { from");
    expect(refusal("{ from: A, replace: { a: 1 } }")).toContain("digits in quotes");
    expect(refusal("{ from: A, replace: { from: a, pattern: b, to: c } }")).toContain("cannot stand together");
    expect(refusal("{ from: A, replace: { pattern: 5, to: c } }")).toContain("<expression>");
    expect(refusal("{ from: A, replace: { from: a, too: c } }")).toContain('did you mean "to"?');
  });
});

describe("lookup", () => {
  const table = "lookup: { D: DOMESTIC, B: BUSINESS, 01: ONE }";
  test("takes a code for a value", () => {
    expect(made(`{ from: A, ${table} }`, text, { A: "D" })).toEqual(["DOMESTIC"]);
    expect(made(`{ from: A, ${table} }`, text, { A: "01" })).toEqual(["ONE"]);
    expect(made(`{ from: A, upper: true, ${table} }`, text, { A: "b" })).toEqual(["BUSINESS"]);
  });
  test("a code that it lacks is an error, is kept, or is empty", () => {
    expect(made(`{ from: A, ${table} }`, text, { A: "X" })).toEqual(["X", "invalid_choice"]);
    expect(made(`{ from: A, ${table}, otherwise: error }`, text, { A: "X" })).toEqual(["X", "invalid_choice"]);
    expect(made(`{ from: A, ${table}, otherwise: keep }`, text, { A: "X" })).toEqual(["X"]);
    expect(made(`{ from: A, ${table}, otherwise: empty }`, text, { A: "X" })).toEqual([undefined]);
    expect(made(`{ from: A, ${table}, otherwise: empty, default: z }`, text, { A: "X" })).toEqual(["z"]);
  });
  test("says which codes it has, and which one it does not have", () => {
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
  test("an empty cell is looked up only when the table says what it means", () => {
    expect(made(`{ from: A, ${table} }`, text, { A: "" })).toEqual([undefined]);
    expect(made('{ from: A, lookup: { "": NONE } }', text, { A: "" })).toEqual(["NONE"]);
    expect(made('{ from: A, lookup: { X: "" } }', text, { A: "X" })).toEqual([undefined]);
  });
  test("values take the contract's type", () => {
    expect(made('{ from: A, lookup: { a: 1, b: "2" } }', integer, { A: "b" })).toEqual([2]);
    expect(refusal("{ from: A, lookup: { a: x } }", integer)).toContain('what "a" becomes is not an integer');
    expect(refusal("{ from: A, lookup: { a: GASS } }", choice("GAS"))).toContain('did you mean "GAS"?');
  });
  test("a table in a file", () => {
    const lookups = new Map([["codes/types.csv", new Map([["D", "DOMESTIC"]])]]);
    const values = { ...NO_VALUES, lookups };
    expect(made("{ from: A, lookup: codes/types.csv }", text, { A: "D" }, values)).toEqual(["DOMESTIC"]);
    expect(refusal("{ from: A, lookup: codes/typos.csv }", text, values)).toContain("codes/typos.csv was not read");
  });
  test("wrong forms", () => {
    expect(refusal("{ from: A, lookup: [a] }")).toContain("a table (code: value)");
    expect(refusal("{ from: A, otherwise: keep }")).toContain("means nothing without lookup");
    expect(refusal("{ from: A, lookup: { a: b }, otherwise: drop }")).toContain("keep, empty or error");
  });
});

const doubling = (rules: number): string =>
  `{ from: A, replace: [${Array.from({ length: rules }, () => "{ from: a, to: aaaaaaaaaa }").join(", ")}] }`;
const tooLarge = (leaf: string, cells: Cells): string => {
  const failure = failureOf(() => made(leaf, text, cells));
  expect(failure.code).toBe("source_too_large");
  return failure.message;
};

describe("texts that grow", () => {
  test("end the run at the row where replace makes more than 1 MiB", () => {
    expect(made(doubling(4), text, { A: "a".repeat(10) })).toEqual(["a".repeat(100_000)]);
    expect(tooLarge(doubling(12), { A: "a".repeat(10) })).toMatch(/:\d+: replace makes a text of more than 1,048,576/);
  });

  test.each(["x".repeat(200), "$0$&$&$&", "$'$'$'$'$'$'", "$`$`$`$`$`$`"])("by a pattern, too: %s", (to) => {
    const rule = JSON.stringify({ pattern: "a|x", to });
    const leaf = `{ from: A, replace: [${Array.from({ length: 40 }, () => rule).join(", ")}] }`;
    expect(tooLarge(leaf, { A: "a".repeat(200) })).toContain("replace makes a text of more than");
  });

  test("end the run where join makes more than 1 MiB", () => {
    const leaf = `{ from: [${Array.from({ length: 100 }, () => "A").join(", ")}], join: "" }`;
    expect(tooLarge(leaf, { A: "a".repeat(11_000) })).toContain("join makes a text of more than 1,048,576");
  });

  test("a long text of a source that does not grow is left alone", () => {
    const mapping = compile("payload: { leaf: { from: t, replace: { a: b } } }", object({ leaf: text }));
    expect(mapping.map(jsonRow({ t: "a".repeat(2 ** 21) })).payload).toEqual({ leaf: "b".repeat(2 ** 21) });
  });

  test("end the run where a payload has more than 16 MiB", () => {
    const names = Array.from({ length: 40 }, (_, at) => `f${at}`);
    const fields = Object.fromEntries(names.map((name) => [name, text]));
    const mapping = compile(`payload: { ${names.map((name) => `${name}: A`).join(", ")} }`, object(fields));
    expect(failureOf(() => mapping.map(rowOf({ A: "a".repeat(2 ** 19) }))).message).toContain(
      "the payload has more than",
    );
    expect(Object.keys(mapping.map(rowOf({ A: "a" })).payload)).toHaveLength(40);
  });

  test("replace by a pattern gives what String.replace gives", () => {
    const signs = fc.constantFrom(
      "$$",
      "$&",
      "$`",
      "$'",
      "$1",
      "$2",
      "$3",
      "$10",
      "$01",
      "$0",
      "$<n>",
      "$<x>",
      "$",
      "a",
      "9",
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 6 }), fc.stringMatching(/^[ab1 ]{0,12}$/), (parts, cell) => {
        for (const pattern of ["(a)(b)?", "(?<n>a)b*", "a+", "1"]) {
          const leaf = JSON.stringify({
            from: "A",
            trim: false,
            keepEmpty: true,
            replace: { pattern, to: parts.join("") },
          });
          const [value = ""] = made(leaf, text, { A: cell });
          expect(value).toBe(cell.replace(new RegExp(pattern, "gu"), parts.join("")));
        }
      }),
    );
  });
});

const columns = (count: number): string => `{ from: [${"A, ".repeat(count)}], join: " " }`;

test("names at most 100 columns", () => {
  expect(made(columns(100), text, { A: "a" })).toEqual([Array(100).fill("a").join(" ")]);
  expect(refusal(columns(101))).toContain("payload.leaf.from: names 101 columns; name at most 100");
});
