import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument } from "../../../src/contract/document/yaml-document.ts";
import { Failure } from "../../../src/model/failure.ts";

function read(text: string, file = "some.yaml"): ReturnType<typeof parseDocument> {
  return parseDocument({ file, text });
}

function failureOf(text: string, file?: string): Failure {
  try {
    read(text, file);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("a failure was expected");
}

/** Returns the line of the member `a`, or the line of the failure. Rethrows any other error. */
function lineOrFailure(text: string): number | undefined {
  try {
    return read(text).lineOf(["a"]);
  } catch (error) {
    if (error instanceof Failure) return error.place?.line;
    throw error;
  }
}

describe("the YAML reader", () => {
  it("reads YAML and JSON, with tabs and a byte order mark", () => {
    expect(read("a: 1\nb: [x, {c: null}]").value).toEqual({ a: 1, b: ["x", { c: null }] });
    expect(read('\uFEFF{\n\t"a": 1,\n\t"b": "x"\n}').value).toEqual({ a: 1, b: "x" });
    expect(read("").value).toBeNull();
  });

  it("keeps names as written", () => {
    expect(read("null: a\ntrue: b\n404: c\n00123: d\nY: e").value).toEqual({
      null: "a",
      true: "b",
      "404": "c",
      "00123": "d",
      Y: "e",
    });
  });

  it("keeps the case of the names True and Null, and does not read ~ as the name null", () => {
    const document = read("true: a\nTrue: b\nNull: c\n~: d\n");
    expect(document.value).toEqual({ true: "a", True: "b", Null: "c", "~": "d" });
    expect(["True", "Null", "~"].map((name) => document.lineOf([name]))).toEqual([2, 3, 4]);
  });

  it("reads digits with leading zeros, words and dates as strings", () => {
    expect(read("a: 00123\nb: no\nc: 2024-02-30\nd: 0.50\ne: 1e3").value).toEqual({
      a: "00123",
      b: "no",
      c: "2024-02-30",
      d: 0.5,
      e: 1000,
    });
  });

  it("keeps every digit of limits and integers that JavaScript would round", () => {
    const limits = "minimum: 0.12345678901234567890\nmaximum: 9223372036854775807\nexclusiveMaximum: 9007199254740992";
    expect(read(`${limits}\nexample: 12345678901234567890\ndefault: 9007199254740992`).value).toEqual({
      minimum: "0.12345678901234567890",
      maximum: "9223372036854775807",
      exclusiveMaximum: 2 ** 53,
      example: "12345678901234567890",
      default: 2 ** 53,
    });
  });

  it("keeps numbers as written if their exponent is beyond the range of JavaScript", () => {
    const text = "maximum: 1e400000000\nexclusiveMinimum: -1E-400000000\nminimum: 1.50e2\nexample: 1e999";
    expect(read(text).value).toEqual({
      maximum: "1e400000000",
      exclusiveMinimum: "-1E-400000000",
      minimum: 150,
      example: "1e999",
    });
    expect(() => read("maximum: .inf")).toThrow("JSON does not allow this number");
  });

  it("rejects a document with more than 500,000 names and values, at the first name or value above the limit", () => {
    const text = `{"a": [${"1,".repeat(500_000)}1]}`;
    expect(() => read(text)).toThrow(":1:1000002: more than 500,000 names and values");
  });

  it("rejects a document with more than 16,777,216 characters", () => {
    expect(() => read(" ".repeat(16 * 2 ** 20 + 1))).toThrow("longer than 16,777,216 characters");
  });

  it("expands aliases", () => {
    const { value } = read("a: &x {b: [1, 2]}\nc: *x\nd: [*x]");
    expect(value).toEqual({ a: { b: [1, 2] }, c: { b: [1, 2] }, d: [{ b: [1, 2] }] });
  });

  it("reads the output of JSON.stringify", () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes("__proto__"));
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!/\d{16}|e\+/.test(text));
        expect(read(text).value).toEqual(JSON.parse(text));
      }),
    );
  });
});

function level(name: string, of: string): string {
  return `${name}: &${name} [${Array(9).fill(`*${of}`).join(", ")}]\n`;
}

describe("line numbers", () => {
  const text = "# first\na:\n  b: 1\n  list:\n    - x\n    - y: 2\nsame: &s\n  t: 1\nalias: *s\n";

  it.each([
    [[], 2],
    [["a"], 2],
    [["a", "b"], 3],
    [["a", "list", 0], 5],
    [["a", "list", 1, "y"], 6],
    [["a", "nothing", "here"], 2],
    [["a", "list", 9], 4],
    [["alias", "t"], 8],
  ])("locate the path %j in line %i", (path, line) => {
    expect(read(text).lineOf(path)).toBe(line);
  });

  it("are correct after any line ending", () => {
    expect(read("a: 1\r\nb: 2\r\nc: 3").lineOf(["c"])).toBe(3);
  });
});

describe("rejected documents", () => {
  it.each([
    ["a repeated name", "a: 1\nb:\n  c: 1\n  c: 2", 4],
    ["names that are equal after conversion to strings", '1: a\n"1": b', 2],
    ["__proto__", "a:\n  __proto__: {}", 2],
    ["a merge key", "a: &x {b: 1}\nc:\n  <<: *x", 3],
    ["a syntax error", "a: 1\nb: [1,\n", 3],
    ["an open quote", 'a: "x\nb: 1\n', 3],
    ["tabs for indentation", "a:\n\tb: 1", 2],
    ["two documents", "a: 1\n---\nb: 2", 2],
    ["an unknown tag", "a: 1\nb: !thing x", 2],
    ["binary data", "a: !!binary aGVsbG8=", 1],
    ["an alias without an anchor", "a: *x", 1],
    ["an alias of a node that contains it", "a: 1\nb: &x\n  c: *x", 3],
    ["infinity", "a: .inf", 1],
    ["a list as a name", "[a, b]: 1", 1],
    ["deep nesting", "[".repeat(20_000), 1],
    ["deep nesting of blocks", "- ".repeat(20_000), 1],
  ])("have the line of the error: %s", (_name, text, line) => {
    const failure = failureOf(text);
    expect(failure.code).toBe("contract_invalid");
    expect(failure.place).toEqual({ file: "some.yaml", line });
    expect(failure.message).toContain(`some.yaml:${line}:`);
  });

  it("have a hint with the line and a caret below the column if the file is named .yaml", () => {
    const twice = "a: 1\nb:\n  c: 1\n  c: Smith\n";
    expect(failureOf(twice).hint).toBe("4 |   c: Smith\n  |   ^");
    expect(failureOf(twice, "customers.csv").hint).toBeUndefined();
  });

  it("include an alias bomb", () => {
    const bomb = `a: &a [${Array(9).fill("x").join(", ")}]\n${level("b", "a")}${level("c", "b")}${level("d", "c")}${level("e", "d")}${level("f", "e")}${level("g", "f")}`;
    expect(failureOf(bomb).message).toContain("aliases expand");
  });

  it("include files other than contracts if an integer would lose digits", () => {
    const text = "a: 1\nb: 12345678901234567890";
    expect(() => parseDocument({ file: "m.yaml", text }, "mapping_invalid")).toThrowError(
      expect.objectContaining({ code: "mapping_invalid", place: { file: "m.yaml", line: 2 } }),
    );
  });

  it("fail with the code that the caller chooses", () => {
    expect(() => parseDocument({ file: "m.yaml", text: "a: 1\na: 2" }, "mapping_invalid")).toThrowError(
      expect.objectContaining({ code: "mapping_invalid" }),
    );
  });

  it("fail with a Failure, never with another error", () => {
    const scrap = fc.constantFrom(
      "a",
      ": ",
      "\n",
      "  ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "&x ",
      "*x",
      "!!t ",
      '"',
      "'",
      "|",
      "#",
      "1",
      "\t",
      "---\n",
      "? ",
      "<<",
      "%",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(scrap, { maxLength: 40 }).map((parts) => parts.join("")),
        ),
        (text) => {
          expect(lineOrFailure(text)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
