import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Expression,
  type PathExpression,
  type PathStep,
  isCondition,
  isExpression,
  isLiteral,
  subexpressionsOf,
} from "../../../src/rules/language/expression.ts";
import { parseExpression } from "../../../src/rules/language/parse-expression.ts";
import { expression as randomExpression } from "../engine/random-expressions.ts";
import { choicesFrom } from "../engine/random-payloads.ts";
import { printExpression } from "./print-expression.ts";
import { ExpressionSyntaxError } from "../../../src/rules/language/token-reader.ts";

/** Returns the expression as the parser returns it: with the text of each path. */
function asParsed(expression: Expression): Expression {
  if (isLiteral(expression)) return expression;
  switch (expression.kind) {
    case "setting":
      return expression;
    case "path":
      return pathAsParsed(expression);
    case "not":
      return { ...expression, operand: asParsed(expression.operand) };
    case "presence":
      return { ...expression, value: asParsed(expression.value) };
    case "in":
      return { ...expression, value: asParsed(expression.value), set: expression.set.map(asParsed) };
    case "call":
      return { ...expression, operands: expression.operands.map((each) => operandAsParsed(each, expression.name)) };
    case "and":
    case "or":
    case "comparison":
    case "arithmetic":
      break;
  }
  return { ...expression, left: asParsed(expression.left), right: asParsed(expression.right) };
}

/** Only in the operands of these functions can a path end with `parent`. */
const OBJECT_FUNCTIONS: ReadonlySet<string> = new Set(["same", "agrees", "name-of"]);

function operandAsParsed(operand: Expression, name: string): Expression {
  return operand.kind === "path" && OBJECT_FUNCTIONS.has(name) ? pathAsParsed(operand, true) : asParsed(operand);
}

/** A path with the base `above` must begin with a name. */
function pathAsParsed({ base, steps: made, ...others }: PathExpression, isObject = false): PathExpression {
  const last = made.at(-1);
  const steps = last?.kind === "parent" && !isObject ? [...made.slice(0, -1), field("parent")] : made;
  const startsWithName = steps[0]?.kind === "field" || steps[0]?.kind === "named";
  const parsed: PathExpression = {
    ...others,
    base: base === "above" && !startsWithName ? "top" : base,
    steps: steps.map((step): PathStep =>
      step.kind === "items" && step.filter !== undefined ? { ...step, filter: asParsed(step.filter) } : step,
    ),
  };
  return { ...parsed, text: printExpression(parsed) };
}

it("an expression that is written with the fewest brackets has the same meaning after parsing", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const expected = asParsed(randomExpression({ choices: choicesFrom(seed), named: ["first", "second"] }));
      expect(parseExpression(printExpression(expected))).toEqual(expected);
      expect(parseExpression(`(( ${printExpression(expected)}\n))`)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

describe("two ways to write an expression:", () => {
  it.each([
    ["a or b and c", "a or (b and c)"],
    ["a and b or c", "(a and b) or c"],
    ["a or b or c", "(a or b) or c"],
    ["not a = b", "not (a = b)"],
    ["not a and b", "(not a) and b"],
    ["not(a = b)", "not (a = b)"],
    ["not not a", "not (not a)"],
    ["a - b - c", "(a - b) - c"],
    ["a / b * c", "(a / b) * c"],
    ["a + b * c - d", "(a + (b * c)) - d"],
    ["-a", "0 - a"],
    ["-a * b", "(0 - a) * b"],
    ["a - -1", "a - (0 - 1)"],
    ["a is not present", "a is absent"],
    ["a is not absent", "a is present"],
    ["a in b + 1", "a in (b + 1)"],
    ["a not in b", "a not in (b)"],
    ["a in(1, 2)", "a in (1, 2)"],
    ["a<=b", "a <= b"],
    ["a!='x'", 'a != "x"'],
    ["4 day", "4 days"],
    ["sum( a ,b )", "sum(a, b)"],
    [" a ", "a"],
  ])("%s means %s", (one, other) => {
    expect(withoutTexts(parseExpression(one))).toEqual(withoutTexts(parseExpression(other)));
  });
});

function withoutTexts(expression: Expression): unknown {
  return JSON.parse(JSON.stringify(expression, (name, value: unknown) => (name === "text" ? undefined : value)));
}

const path = (text: string, ...steps: readonly PathStep[]): PathExpression => ({
  kind: "path",
  base: "here",
  steps,
  text,
});
const field = (name: string): PathStep => ({ kind: "field", name });

describe("a word with a special meaning is parsed as expected:", () => {
  it.each<[string, Expression]>([
    ["true", { kind: "boolean", value: true }],
    ["false", { kind: "boolean", value: false }],
    ["null", { kind: "missing" }],
    ["today", { kind: "today" }],
    ["today.x", path("today.x", field("today"), field("x"))],
    ["null[]", path("null[]", field("null"), { kind: "items" })],
    ["true{}", path("true{}", field("true"), { kind: "members" })],
    ['"true"', { kind: "text", text: "true" }],
    ["'it is \"so\"'", { kind: "text", text: 'it is "so"' }],
    ['"and"', { kind: "text", text: "and" }],
    ["min", path("min", field("min"))],
    ["config", path("config", field("config"))],
    ["config.x", { kind: "setting", name: "x" }],
    ["config[]", path("config[]", field("config"), { kind: "items" })],
    ["a.config.x", path("a.config.x", field("a"), field("config"), field("x"))],
    ["listed", path("listed", field("listed"))],
    ["parent.parent.x", path("parent.parent.x", { kind: "parent" }, { kind: "parent" }, field("x"))],
    ["parent.parent", path("parent.parent", { kind: "parent" }, field("parent"))],
    ["parent", path("parent", field("parent"))],
    ["a.parent", path("a.parent", field("a"), field("parent"))],
    ["top", path("top", field("top"))],
    ["above", path("above", field("above"))],
    ["other", path("other", field("other"))],
    ["found", { ...path("found"), base: "found" }],
    ["this.other", { ...path("this.other", field("other")), base: "this" }],
    ["this.today", { ...path("this.today", field("today")), base: "this" }],
    [
      "same(top, other)",
      {
        kind: "call",
        name: "same",
        operands: [
          { ...path("top"), base: "top" },
          { ...path("other"), base: "other" },
        ],
      },
    ],
    [
      "agrees(parent, a.parent)",
      {
        kind: "call",
        name: "agrees",
        operands: [path("parent", { kind: "parent" }), path("a.parent", field("a"), { kind: "parent" })],
      },
    ],
    ["a.this", path("a.this", field("a"), field("this"))],
    ["this", { ...path("this"), base: "this" }],
    ["$today", path("$today", { kind: "named", name: "today" })],
    ["$this", path("$this", { kind: "named", name: "this" })],
    ["above.$a", { ...path("above.$a", { kind: "named", name: "a" }), base: "above" }],
    [".", path(".")],
    ["a . b [ ]", path("a . b [ ]", field("a"), field("b"), { kind: "items" })],
    [
      "listed.my-own-list[].x",
      { ...path("listed.my-own-list[].x", field("my-own-list"), { kind: "items" }, field("x")), base: "listed" },
    ],
  ])("%s", (text, expected) => {
    expect(parseExpression(text)).toEqual(expected);
  });
});

describe("an invalid expression is refused:", () => {
  it.each([
    ["", "the expression is incomplete", 0],
    ["a =", "the expression is incomplete", 3],
    ["a b", 'unexpected "b"', 2],
    ["a not b", 'unexpected "not"', 2],
    ["a = b = c", 'unexpected "="', 6],
    ["a and or", 'unexpected "or": a reserved word, which cannot be the name of a field in rules', 6],
    ["present", 'unexpected "present": a reserved word, which cannot be the name of a field in rules', 0],
    ["a.not", 'unexpected "not": a reserved word, which cannot be the name of a field in rules', 2],
    [
      "a.b is missing",
      '"is" must be followed by "present", "absent", "not present" or "not absent"; to compare values, use "="',
      7,
    ],
    ["(a", 'expected ")" at the end', 2],
    ["(a b)", 'expected ")" before "b"', 3],
    ["a[b", 'expected "]" at the end', 3],
    ["max(a, b", 'expected ")" at the end', 8],
    ["a in (b", 'expected ")" at the end', 7],
    ["a == b", 'write "=" for "is equal to"', 2],
    ["a && b", 'write "and" or "or"', 2],
    ["a | b", 'write "and" or "or"', 2],
    ["!a", 'write "not", or "!=" between two values', 0],
    ["a ; b", 'unexpected character ";"', 2],
    ["a = 'b", "a closing quotation mark is missing", 4],
    ['a = "b', "a closing quotation mark is missing", 4],
    ["1.5 days", "a number of days must be a whole number", 0],
    ["mni(a)", 'there is no function "mni"; did you mean "min"?', 0],
    ["1 + if(a, b)", "if() takes 3 operands", 4],
    ["lower(a, b)", "lower() takes 1 operand", 0],
    ['is-format(a, "mpan", b, c)', "is-format() takes 2 to 3 operands", 0],
    ['join(" ")', "join() takes 2 to 20 operands", 0],
    ["config.", 'expected a setting after "config."', 7],
    ['config."x"', 'expected a setting after "config."', 7],
    ["1 = above.", "the expression is incomplete", 10],
    ["d >= 2024-10-01", "put a date in quotes", 5],
    ["d >= 2024-11-12", "put a date in quotes", 5],
    ["a = 007", "a number cannot start with 0; put a date or a code in quotes", 4],
    ["a = 01.5", "a number cannot start with 0; put a date or a code in quotes", 4],
    ["above[]", 'expected a field or a named value after "above."', 0],
    ["above.parent.x", 'expected a field or a named value after "above."', 0],
    ["listed.", 'expected a reference list after "listed."', 7],
    ["listed.a-", 'expected a reference list after "listed."', 9],
    ["listed.a-2[]", 'expected a reference list after "listed."', 9],
    ["listed.a", 'expected "[" at the end', 8],
    ["$a.b", "a named value must be the end of a path", 3],
    ["$a[]", 'unexpected "["', 2],
    ["$a{}", 'unexpected "{}"', 2],
    ['a."b"', 'unexpected "b"', 2],
    ['a."[" ]', 'unexpected "["', 2],
    ['a."{}"', 'unexpected "{}"', 2],
    ["a.", "the expression is incomplete", 2],
    ['a "or" b', 'unexpected "or"', 2],
    ['a "." b', 'unexpected "."', 2],
  ])("%s: %s", (text, message, offset) => {
    const error = errorOf(text);
    expect(error).toBeInstanceOf(ExpressionSyntaxError);
    expect(error).toMatchObject({ name: "ExpressionSyntaxError", message, offset });
  });
});

function errorOf(text: string): unknown {
  try {
    return parseExpression(text);
  } catch (error) {
    return error;
  }
}

describe("expressions and their parts:", () => {
  it.each([
    ["1", []],
    ["config.x", []],
    ["a.b[]", []],
    ["a[b][].c[d]", ["b", "d"]],
    ["a + b", ["a", "b"]],
    ["min(a, b, c)", ["a", "b", "c"]],
    ["a = b", ["a", "b"]],
    ["a in (b, c)", ["a", "b", "c"]],
    ["a is present", ["a"]],
    ["not a", ["a"]],
    ["a and b", ["a", "b"]],
    ["a or b", ["a", "b"]],
  ])("the parts of %s are found", (text, parts) => {
    expect(subexpressionsOf(parseExpression(text)).map((part) => printExpression(part))).toEqual(parts);
  });

  it.each([
    ["1", "literal"],
    ['"x"', "literal"],
    ["true", "literal"],
    ["null", "literal"],
    ["today", "literal"],
    ["1 day", "literal"],
    ["a = b", "condition"],
    ["a in b", "condition"],
    ["a is absent", "condition"],
    ["a and b", "condition"],
    ["a or b", "condition"],
    ["not a", "condition"],
    ["a", "other"],
    ["config.x", "other"],
    ["a + b", "other"],
    ["min(a)", "other"],
  ])("%s is a %s expression", (text, expected) => {
    const expression = parseExpression(text);
    const kind = isLiteral(expression) ? "literal" : isCondition(expression) ? "condition" : "other";
    expect(kind).toBe(expected);
    expect(isExpression(expression)).toBe(true);
  });

  it.each([{}, { kind: "lookup" }, { kind: 1 }, []])("%j is not an expression", (part) => {
    expect(isExpression(part)).toBe(false);
  });
});
