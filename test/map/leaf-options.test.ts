import { describe, expect, test } from "vitest";
import type { FieldType } from "../../src/contract/field-type.ts";
import type { MappingFunction, MappingValues } from "../../src/map/leaf-context.ts";
import type { JsonValue } from "../../src/model/json.ts";
import {
  anything,
  boolean,
  choice,
  compile,
  date,
  datetime,
  decimal,
  failureOf,
  integer,
  jsonRow,
  list,
  NO_VALUES,
  number,
  nullableText,
  object,
  rowOf,
  text,
  time,
  union,
} from "./rows.ts";

type Cells = Readonly<Record<string, string>>;

/** What a leaf, written in YAML's flow style, makes of a row: the value and the problems' codes. */
function made(leaf: string, type: FieldType, cells: Cells, values?: MappingValues): readonly (JsonValue | undefined)[] {
  const mapped = compile(`payload: { leaf: ${leaf} }`, object({ leaf: type }), values).map(rowOf(cells));
  return [mapped.payload["leaf"], ...mapped.problems.map((problem) => problem.code)];
}

function refusal(leaf: string, type: FieldType = text, values?: MappingValues): string {
  const failure = failureOf(() => compile(`payload: { leaf: ${leaf} }`, object({ leaf: type }), values));
  expect(failure.code).toBe("mapping_invalid");
  return `${failure.message} | ${failure.hint ?? ""}`;
}

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
  test("says which codes it has", () => {
    const mapping = compile(`payload: { leaf: { from: A, ${table} } }`, object({ leaf: text }));
    expect(mapping.map(rowOf({ A: "X9" })).problems).toEqual([
      {
        attr: "leaf",
        code: "invalid_choice",
        choices: ["D", "B", "01"],
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

describe("true and false", () => {
  const leaf = '{ from: A, true: [Y, 1], false: [N, 0, ""] }';
  test("the words of the source", () => {
    expect(made(leaf, boolean, { A: "Y" })).toEqual([true]);
    expect(made(leaf, boolean, { A: "0" })).toEqual([false]);
    expect(made(leaf, boolean, { A: " " })).toEqual([false]);
    expect(made(leaf, boolean, { A: "y" })).toEqual(["y", "invalid_choice"]);
    expect(made("{ from: A, upper: true, true: Y, false: N }", boolean, { A: "y" })).toEqual([true]);
  });
  test("without them only true and false will do", () => {
    expect(made("A", boolean, { A: "TRUE" })).toEqual([true]);
    expect(made("A", boolean, { A: "false" })).toEqual([false]);
    expect(made("A", boolean, { A: "1" })).toEqual(["1", "invalid"]);
  });
  test("wrong forms", () => {
    expect(refusal("{ from: A, true: [Y], false: [Y] }", boolean)).toContain("means true as well");
    expect(refusal("{ from: A, true: [Y] }", text)).toContain("makes true or false, and the contract wants text");
    expect(refusal("{ from: A, true: {} }", boolean)).toContain("a text or a list of texts");
  });
});

describe("date and datetime", () => {
  test("a date in the source's own form", () => {
    expect(made('{ from: A, date: "dd/MM/yyyy" }', date, { A: "29/02/2024" })).toEqual(["2024-02-29"]);
    expect(made('{ from: A, date: "dd/MM/yyyy" }', date, { A: "29/02/2023" })).toEqual(["29/02/2023", "invalid"]);
    expect(made('{ from: A, date: "dd/MM/yyyy" }', date, { A: "2024-02-29" })).toEqual(["2024-02-29", "invalid"]);
    expect(made('{ from: A, date: "d-MMM-yy" }', text, { A: "1-jan-99" })).toEqual(["1999-01-01"]);
  });
  test("without a pattern the cell has to be ISO 8601", () => {
    expect(made("A", date, { A: "2024-02-29" })).toEqual(["2024-02-29"]);
    expect(made("A", date, { A: "2023-02-29" })).toEqual(["2023-02-29", "invalid"]);
    expect(made("A", datetime, { A: "2024-02-29T23:59:59Z" })).toEqual(["2024-02-29T23:59:59Z"]);
    expect(made("A", datetime, { A: "2024-02-29 23:59" })).toEqual(["2024-02-29 23:59", "invalid"]);
    expect(made("A", time, { A: "09:30" })).toEqual(["09:30"]);
    expect(made("A", time, { A: "24:00" })).toEqual(["24:00", "invalid"]);
  });
  const london = '{ from: A, datetime: "dd/MM/yyyy HH:mm", zone: Europe/London }';
  test("a time in a zone becomes UTC", () => {
    expect(made(london, datetime, { A: "01/07/2024 12:30" })).toEqual(["2024-07-01T11:30:00Z"]);
    expect(made(london, datetime, { A: "01/12/2024 12:30" })).toEqual(["2024-12-01T12:30:00Z"]);
    expect(made('{ from: A, datetime: "yyyy-MM-dd", zone: UTC }', datetime, { A: "2024-12-01" })).toEqual([
      "2024-12-01T00:00:00Z",
    ]);
  });
  test("an hour that the zone skips or has twice is invalid", () => {
    expect(made(london, datetime, { A: "31/03/2024 01:30" })).toEqual(["31/03/2024 01:30", "invalid"]);
    expect(made(london, datetime, { A: "27/10/2024 01:30" })).toEqual(["27/10/2024 01:30", "invalid"]);
  });
  test("an offset in the cell needs no zone", () => {
    const leaf = `{ from: A, datetime: "yyyy-MM-dd'T'HH:mm:ssXXX" }`;
    expect(made(leaf, datetime, { A: "2024-01-01T00:30:00+01:00" })).toEqual(["2023-12-31T23:30:00Z"]);
    expect(made(leaf, datetime, { A: "2024-01-01T00:30:00Z" })).toEqual(["2024-01-01T00:30:00Z"]);
    expect(made(leaf, datetime, { A: "2024-01-01T00:30:00" })).toEqual(["2024-01-01T00:30:00", "invalid"]);
  });
  test("wrong forms", () => {
    expect(refusal('{ from: A, date: "dd/mm/yyyy" }', date)).toContain("the month is missing");
    expect(refusal('{ from: A, date: "dd/MM/yyyy" }', integer)).toContain("makes date, and the contract wants integer");
    expect(refusal('{ from: A, datetime: "dd/MM/yyyy" }', date)).toContain("makes datetime");
    expect(refusal('{ from: A, datetime: "dd/MM/yyyy" }', datetime)).toContain("in which zone");
    expect(refusal('{ from: A, datetime: "dd/MM/yyyy", zone: Europe/Lundun }', datetime)).toContain("not a time zone");
    expect(refusal('{ from: A, datetime: "dd/MM/yyyyXXX", zone: UTC }', datetime)).toContain("says the zone already");
    expect(refusal("{ from: A, zone: UTC }", datetime)).toContain("means nothing without datetime");
    expect(refusal("{ from: A, date: [x] }", date)).toContain("has to be a text");
  });
});

describe("number", () => {
  const german = '{ from: A, number: { decimal: ",", group: "." } }';
  test("the source's own marks", () => {
    expect(made(german, decimal, { A: "1.234.567,50" })).toEqual(["1234567.50"]);
    expect(made(german, decimal, { A: "-0,5" })).toEqual(["-0.5"]);
    expect(made(german, number, { A: "1.234,5" })).toEqual([1234.5]);
    expect(made(german, decimal, { A: "12.34,50" })).toEqual(["12.34,50", "invalid"]);
    expect(made(german, integer, { A: "1.234,5" })).toEqual(["1.234,5", "invalid"]);
    expect(made('{ from: A, number: { group: "," } }', integer, { A: "+1,234" })).toEqual([1234]);
    expect(made('{ from: A, number: { group: " " } }', integer, { A: "1\u00a0234" })).toEqual([1234]);
  });
  test("says that leading zeros mean nothing", () => {
    expect(made("{ from: A, number: {} }", integer, { A: "007" })).toEqual([7]);
    expect(made("A", integer, { A: "007" })).toEqual(["007", "invalid"]);
  });
  test("no digit is lost", () => {
    expect(made("A", integer, { A: "9007199254740993" })).toEqual(["9007199254740993", "invalid"]);
    expect(made("A", number, { A: "0.10000000000000000001" })).toEqual(["0.10000000000000000001", "invalid"]);
    expect(made("A", number, { A: "1.50" })).toEqual([1.5]);
    expect(made("A", number, { A: "1e400" })).toEqual(["1e400", "invalid"]);
    expect(made("A", decimal, { A: "0.10" })).toEqual(["0.10"]);
    expect(made("A", decimal, { A: "12345678901234567890.10" })).toEqual(["12345678901234567890.10"]);
    expect(made("A", decimal, { A: "1,5" })).toEqual(["1,5", "invalid"]);
    expect(made("A", integer, { A: "0" })).toEqual([0]);
  });
  test("wrong forms", () => {
    expect(refusal('{ from: A, number: { decimal: ",", group: "," } }', decimal)).toContain("two different characters");
    expect(refusal("{ from: A, number: true }", decimal)).toContain("two different characters");
    expect(refusal("{ from: A, number: {} }", boolean)).toContain("makes number");
  });
});

function calling(leaf: string): string {
  return `functions: ./functions.mjs\npayload: { leaf: ${leaf} }`;
}

describe("call", () => {
  const functions = new Map<string, MappingFunction>([
    ["initials", (value, row) => `${value[0] ?? "?"}${row["B"] === "z" ? "z" : "?"}`],
    ["size", (value) => value.length],
    ["nothing", () => undefined],
    ["late", () => Promise.resolve("x")],
    ["broken", (value) => value.toUpperCase().normalize("no such form")],
  ]);
  const values = { ...NO_VALUES, functions };
  const run = (leaf: string, type: FieldType, cells: Cells) =>
    compile(calling(leaf), object({ leaf: type }), values).map(rowOf(cells)).payload["leaf"];

  test("a function of the user's makes the value", () => {
    expect(run("{ from: A, call: initials }", text, { A: "abc", B: "z" })).toBe("az");
    expect(run("{ from: A, call: size }", integer, { A: "abc" })).toBe(3);
    expect(run("{ call: size }", integer, { A: "abc" })).toBe(0);
    expect(run("{ from: A, call: nothing, default: d }", text, { A: "abc" })).toBe("d");
  });
  test("what it throws names the row and not the value", () => {
    const failure = failureOf(() => run("{ from: A, call: broken }", text, { A: "secret" }));
    expect(failure.code).toBe("mapping_invalid");
    expect(failure.message).toBe('the function "broken" failed on the row at accounts.csv:2');
  });
  test("it may not be asynchronous", () =>
    expect(failureOf(() => run("{ from: A, call: late }", text, { A: "x" })).hint).toContain("not a promise"));
  test("unknown functions", () => {
    const failure = failureOf(() => compile(calling("{ from: A, call: initialz }"), object({ leaf: text }), values));
    expect(failure.hint).toBe('did you mean "initials"?');
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

describe("a cell that does not fit", () => {
  test.each([
    ['{ from: A, date: "dd/MM/yyyy" }', date, { as: "dd/MM/yyyy" }],
    [
      '{ from: A, datetime: "dd/MM HH:mm yyyy", zone: Europe/London }',
      datetime,
      { as: "dd/MM HH:mm yyyy", zone: "Europe/London" },
    ],
    ['{ from: A, number: { decimal: ",", group: "." } }', decimal, { as: "1.234,50" }],
    ["A", date, undefined],
  ])("%s asks for the form of the source, not for what becomes of it", (leaf, type, written) => {
    const { problems } = compile(`payload: { leaf: ${leaf} }`, object({ leaf: type })).map(rowOf({ A: "?" }));
    expect(
      problems.map((problem) => (problem.code === "invalid" && "written" in problem ? problem.written : undefined)),
    ).toEqual([written]);
  });
});
