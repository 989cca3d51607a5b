import { plural } from "../../text/count.ts";
import { type Arithmetic, type Comparison, type Expression, FUNCTIONS, type FunctionName } from "./expression.ts";
import { didYouMean } from "../../text/suggestion.ts";
import { PATH_SIGNS, asObject, parsePath } from "./parse-path.ts";
import { ExpressionSyntaxError, type TokenReader, readerOf, unexpected } from "./token-reader.ts";

/**
 * Parses an expression of a rule (docs/rules.md). Precedence from lowest to highest: `or`, `and`, `not`, comparisons,
 * `+ -`, `* /`.
 * @throws ExpressionSyntaxError with the offset of the error
 */
export function parseExpression(text: string): Expression {
  const reader = readerOf(text);
  const expression = parseOr(reader);
  if (reader.peek().kind !== "end") throw unexpected(reader.peek());
  return expression;
}

function parseOr(reader: TokenReader): Expression {
  return parseJoined("or", (each) => parseJoined("and", parseNot, each), reader);
}

function parseJoined(kind: "and" | "or", parse: (reader: TokenReader) => Expression, reader: TokenReader): Expression {
  let left = parse(reader);
  while (reader.take(kind)) left = { kind, left, right: parse(reader) };
  return left;
}

/** Also matches `not(a = b)`, where the tokeniser reads `not` as a function name. */
function parseNot(reader: TokenReader): Expression {
  return reader.take("not") ? { kind: "not", operand: parseNot(reader) } : parseComparison(reader);
}

const COMPARISONS: readonly Comparison[] = ["=", "!=", "<=", ">=", "<", ">"];

function parseComparison(reader: TokenReader): Expression {
  const left = parseSum(reader);
  for (const operator of COMPARISONS) {
    if (reader.take(operator)) return { kind: "comparison", operator, left, right: parseSum(reader) };
  }
  if (reader.take("is")) return parsePresence(left, reader);
  const negated = reader.peek().text === "not" && reader.peek(1).text === "in" && reader.take("not");
  if (reader.take("in")) return { kind: "in", negated, value: left, set: parseSet(reader) };
  return left;
}

function parsePresence(value: Expression, reader: TokenReader): Expression {
  const negated = reader.take("not");
  if (reader.take("present")) return { kind: "presence", present: !negated, value };
  if (reader.take("absent")) return { kind: "presence", present: negated, value };
  throw new ExpressionSyntaxError(
    '"is" must be followed by "present", "absent", "not present" or "not absent"; to compare values, use "="',
    reader.peek().offset,
  );
}

/** Parses the values after `in`: `("X", "Y")`, or a path or setting with several values. */
function parseSet(reader: TokenReader): readonly Expression[] {
  return reader.take("(") ? parseList(reader) : [parseSum(reader)];
}

/** Parses expressions separated by commas, up to `)`. The opening `(` has already been consumed. */
function parseList(reader: TokenReader): readonly Expression[] {
  const items = [parseOr(reader)];
  while (reader.take(",")) items.push(parseOr(reader));
  reader.expect(")");
  return items;
}

const SUMS: readonly Arithmetic[] = ["+", "-"];
const PRODUCTS: readonly Arithmetic[] = ["*", "/"];

function parseSum(reader: TokenReader): Expression {
  return parseOperators(SUMS, parseProduct, reader);
}

function parseProduct(reader: TokenReader): Expression {
  return parseOperators(PRODUCTS, parseOperand, reader);
}

function parseOperators(
  operators: readonly Arithmetic[],
  parse: (reader: TokenReader) => Expression,
  reader: TokenReader,
): Expression {
  let left = parse(reader);
  for (;;) {
    const operator = operators.find(reader.take);
    if (operator === undefined) return left;
    left = { kind: "arithmetic", operator, left, right: parse(reader) };
  }
}

function parseOperand(reader: TokenReader): Expression {
  const token = reader.peek();
  if (token.kind === "text") return { kind: "text", text: reader.next().text };
  if (token.kind === "number") return parseNumber(reader);
  if (token.kind === "function") return parseCall(reader);
  if (reader.take("-")) return { kind: "arithmetic", operator: "-", left: ZERO, right: parseOperand(reader) };
  if (reader.take("(")) {
    const inner = parseOr(reader);
    reader.expect(")");
    return inner;
  }
  if (token.kind === "name" && !PATH_SIGNS.has(reader.peek(1).text)) {
    const word = WORDS.get(token.text);
    if (word !== undefined) {
      reader.next();
      return word;
    }
  }
  if (token.text === "config" && reader.peek(1).text === ".") return parseSetting(reader);
  return parsePath(reader, parseOr);
}

const ZERO: Expression = { kind: "number", digits: "0" };

const WORDS: ReadonlyMap<string, Expression> = new Map<string, Expression>([
  ["true", { kind: "boolean", value: true }],
  ["false", { kind: "boolean", value: false }],
  ["null", { kind: "missing" }],
  ["today", { kind: "today" }],
]);

function parseNumber(reader: TokenReader): Expression {
  const { text, offset } = reader.next();
  if (UNQUOTED_DATE.test(reader.text.slice(offset))) throw new ExpressionSyntaxError("put a date in quotes", offset);
  if (/^0\d/.test(text)) {
    throw new ExpressionSyntaxError("a number cannot start with 0; put a date or a code in quotes", offset);
  }
  if (!reader.take("days") && !reader.take("day")) return { kind: "number", digits: text };
  if (text.includes(".")) throw new ExpressionSyntaxError("a number of days must be a whole number", offset);
  return { kind: "days", count: Number(text) };
}

const UNQUOTED_DATE = /^\d{4}-\d{2}-\d{2}(?!\d)/;

function parseCall(reader: TokenReader): Expression {
  const { text, offset } = reader.next();
  if (!isFunction(text)) {
    const hint = didYouMean(text, Object.keys(FUNCTIONS));
    throw new ExpressionSyntaxError(`there is no function "${text}"${hint}`, offset);
  }
  reader.expect("(");
  const parsed = parseList(reader);
  const operands = OBJECT_FUNCTIONS.has(text) ? parsed.map(asObject) : parsed;
  const [min, max] = FUNCTIONS[text];
  if (operands.length >= min && operands.length <= max) return { kind: "call", name: text, operands };
  const count = min === max ? min : `${min} to ${max}`;
  throw new ExpressionSyntaxError(`${text}() takes ${count} ${plural(max, "operand")}`, offset);
}

/** Functions whose operands are objects. Only there can a path end with any base, or with `parent`. */
const OBJECT_FUNCTIONS: ReadonlySet<string> = new Set<FunctionName>(["same", "agrees", "name-of"]);

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}

function parseSetting(reader: TokenReader): Expression {
  reader.next();
  reader.expect(".");
  const { kind, text, offset } = reader.next();
  if (kind !== "name") throw new ExpressionSyntaxError('expected a setting after "config."', offset);
  return { kind: "setting", name: text };
}
