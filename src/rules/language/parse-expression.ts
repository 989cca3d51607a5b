import { plural } from "../../text/count.ts";
import { ExpressionSyntaxError, tokenise, type Token } from "./expression-tokens.ts";
import {
  FUNCTIONS,
  type Arithmetic,
  type Comparison,
  type Expression,
  type FunctionName,
  type PathBase,
  type PathExpression,
  type PathStep,
} from "./expression.ts";
import { didYouMean } from "../../text/suggestion.ts";

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

interface TokenReader {
  readonly text: string;
  readonly peek: (ahead?: number) => Token;
  readonly next: () => Token;
  /** Consumes the next token and returns true if it is this word or sign; otherwise returns false. */
  readonly take: (word: string) => boolean;
  readonly expect: (word: string) => void;
}

const END: Token = { kind: "end", text: "", offset: 0 };

function readerOf(text: string): TokenReader {
  const tokens = tokenise(text);
  let position = 0;
  const peek = (ahead = 0): Token => tokens[Math.min(position + ahead, tokens.length - 1)] ?? END;
  const next = (): Token => {
    const token = peek();
    position += 1;
    return token;
  };
  const take = (word: string): boolean => {
    const { kind, text: found } = peek();
    if (found !== word || (kind !== "name" && kind !== "sign" && kind !== "function")) return false;
    position += 1;
    return true;
  };
  const expect = (word: string): void => {
    if (!take(word)) throw new ExpressionSyntaxError(`expected "${word}" ${describePosition(peek())}`, peek().offset);
  };
  return { text, peek, next, take, expect };
}

function describePosition({ kind, text }: Token): string {
  return kind === "end" ? "at the end" : `before "${text}"`;
}

function unexpected(token: Token): ExpressionSyntaxError {
  const what = token.kind === "end" ? "the expression is incomplete" : `unexpected "${token.text}"`;
  return new ExpressionSyntaxError(what, token.offset);
}

function parseOr(reader: TokenReader): Expression {
  let left = parseAnd(reader);
  while (reader.take("or")) left = { kind: "or", left, right: parseAnd(reader) };
  return left;
}

function parseAnd(reader: TokenReader): Expression {
  let left = parseNot(reader);
  while (reader.take("and")) left = { kind: "and", left, right: parseNot(reader) };
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
  return parsePath(reader);
}

/** Signs that follow a name at the start of a path. */
const PATH_SIGNS: ReadonlySet<string> = new Set([".", "[", "{}"]);

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
    throw new ExpressionSyntaxError(
      `there is no function "${text}"${didYouMean(text, Object.keys(FUNCTIONS))}`,
      offset,
    );
  }
  reader.expect("(");
  const parsed = parseList(reader);
  const operands = OBJECT_FUNCTIONS.has(text) ? parsed.map(asObject) : parsed;
  const [min, max] = FUNCTIONS[text];
  if (operands.length >= min && operands.length <= max) return { kind: "call", name: text, operands };
  throw new ExpressionSyntaxError(
    `${text}() takes ${min === max ? min : `${min} to ${max}`} ${plural(max, "operand")}`,
    offset,
  );
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(FUNCTIONS, name);
}

function parseSetting(reader: TokenReader): Expression {
  reader.next();
  reader.expect(".");
  const { kind, text, offset } = reader.next();
  if (kind !== "name") throw new ExpressionSyntaxError("expected the name of a setting after config.", offset);
  return { kind: "setting", name: text };
}

const BASES: readonly PathBase[] = ["this", "top", "above", "other", "found"];
/** Words that alone are not names of fields: the object that is checked, and the row that a lookup found. */
const LONE_BASES: ReadonlySet<string> = new Set<PathBase>(["this", "found"]);
/** Functions whose operands are objects. Only there can a path end with any base, or with `parent`. */
const OBJECT_FUNCTIONS: ReadonlySet<string> = new Set<FunctionName>(["same", "agrees", "name-of"]);
/** Reserved words, which cannot be field names. */
const RESERVED: ReadonlySet<string> = new Set(["and", "or", "not", "in", "is", "present", "absent", "day", "days"]);

/** Returns the operand of a function on objects: `top`, `other` or `parent` at its end is the object, not a field. */
function asObject(operand: Expression): Expression {
  if (operand.kind !== "path" || operand.base === "listed") return operand;
  const last = operand.steps.at(-1);
  if (last?.kind !== "field") return operand;
  if (last.name === "parent") return { ...operand, steps: [...operand.steps.slice(0, -1), { kind: "parent" }] };
  const base = BASES.find((name) => name === last.name);
  const isBase = base !== undefined && base !== "above" && operand.base === "here" && operand.steps.length === 1;
  return isBase ? { ...operand, base, steps: [] } : operand;
}

function parsePath(reader: TokenReader): PathExpression {
  const start = reader.peek().offset;
  const steps: PathStep[] = [];
  const base = takeBase(reader);
  if (base === "listed") steps.push(...parseListed(reader));
  if (base === undefined && reader.take(".")) return { kind: "path", base: "here", steps, text: "." };
  if (base === undefined) steps.push(parseStep(reader));
  while (continues(steps, reader)) steps.push(parseStep(reader));
  const [first] = steps;
  if (base === "above" && first?.kind !== "field" && first?.kind !== "named") {
    throw new ExpressionSyntaxError("expected the name of a field or named value after above.", start);
  }
  return { kind: "path", base: base ?? "here", steps, text: reader.text.slice(start, reader.peek().offset).trim() };
}

function takeBase(reader: TokenReader): PathBase | undefined {
  if (reader.peek().text === "listed" && reader.peek(1).text === "." && reader.take("listed")) return "listed";
  const { kind, text } = reader.peek();
  const base = kind === "name" ? BASES.find((name) => text === name) : undefined;
  if (base === undefined || !(LONE_BASES.has(base) || PATH_SIGNS.has(reader.peek(1).text))) return undefined;
  reader.next();
  return base;
}

/** Parses `listed.product-rates[...]`. The name of a list may contain hyphens. */
function parseListed(reader: TokenReader): readonly PathStep[] {
  reader.expect(".");
  const words = [nameOfList(reader)];
  while (reader.take("-")) words.push(nameOfList(reader));
  const name = words.join("-");
  reader.expect("[");
  return [{ kind: "field", name }, parseItems(reader)];
}

function nameOfList(reader: TokenReader): string {
  const { kind, text, offset } = reader.next();
  if (kind === "name") return text;
  throw new ExpressionSyntaxError("expected the name of a reference list after listed.", offset);
}

/** Returns whether the path has another step, and consumes the dot before that step. A bracket needs no dot. */
function continues(steps: readonly PathStep[], reader: TokenReader): boolean {
  const last = steps.at(-1);
  const { kind, text } = reader.peek();
  if (last?.kind !== "named" && kind === "sign" && (text === "[" || text === "{}")) return true;
  if (!reader.take(".")) return false;
  if (last?.kind === "named")
    throw new ExpressionSyntaxError("a named value must be the end of a path", reader.peek().offset);
  return true;
}

function parseStep(reader: TokenReader): PathStep {
  const token = reader.next();
  if (token.kind === "named") return { kind: "named", name: token.text };
  if (token.text === "[" && token.kind === "sign") return parseItems(reader);
  if (token.text === "{}" && token.kind === "sign") return { kind: "members" };
  if (token.kind !== "name") throw unexpected(token);
  if (RESERVED.has(token.text)) {
    const reason = "a reserved word, which cannot be the name of a field in rules";
    throw new ExpressionSyntaxError(`unexpected "${token.text}": ${reason}`, token.offset);
  }
  const isParent = token.text === "parent" && PATH_SIGNS.has(reader.peek().text);
  return isParent ? { kind: "parent" } : { kind: "field", name: token.text };
}

function parseItems(reader: TokenReader): PathStep {
  if (reader.take("]")) return { kind: "items" };
  const filter = parseOr(reader);
  reader.expect("]");
  return { kind: "items", filter };
}
