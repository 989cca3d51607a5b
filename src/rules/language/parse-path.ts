import type { Expression, PathBase, PathExpression, PathStep } from "./expression.ts";
import { ExpressionSyntaxError, type TokenReader, unexpected } from "./token-reader.ts";

type ParseFilter = (reader: TokenReader) => Expression;

/** Signs that follow a name at the start of a path. */
export const PATH_SIGNS: ReadonlySet<string> = new Set([".", "[", "{}"]);
const BASES: readonly PathBase[] = ["this", "top", "above", "other", "found"];
/** Bases that can be a complete path: the object that is checked, and the row that a lookup found. */
const LONE_BASES: ReadonlySet<string> = new Set<PathBase>(["this", "found"]);
/** Reserved words, which cannot be field names. */
const RESERVED: ReadonlySet<string> = new Set(["and", "or", "not", "in", "is", "present", "absent", "day", "days"]);

/**
 * Interprets a parsed operand as the operand of a function on objects. Unlike in other operands, `top` or `other` alone
 * and a final `parent` lead to an object, and are not the names of fields.
 */
export function asObject(operand: Expression): Expression {
  if (operand.kind !== "path" || operand.base === "listed") return operand;
  const last = operand.steps.at(-1);
  if (last?.kind !== "field") return operand;
  if (last.name === "parent") return { ...operand, steps: [...operand.steps.slice(0, -1), { kind: "parent" }] };
  const base = BASES.find((name) => name === last.name);
  const isBase = base !== undefined && base !== "above" && operand.base === "here" && operand.steps.length === 1;
  return isBase ? { ...operand, base, steps: [] } : operand;
}

/** Parses a path. `parseFilter` parses the condition in brackets after a list. */
export function parsePath(reader: TokenReader, parseFilter: ParseFilter): PathExpression {
  const start = reader.peek().offset;
  const steps: PathStep[] = [];
  const base = takeBase(reader);
  if (base === "listed") steps.push(...parseListed(reader, parseFilter));
  if (base === undefined && reader.take(".")) return { kind: "path", base: "here", steps, text: "." };
  if (base === undefined) steps.push(parseStep(reader, parseFilter));
  while (continues(steps, reader)) steps.push(parseStep(reader, parseFilter));
  const [first] = steps;
  if (base === "above" && first?.kind !== "field" && first?.kind !== "named") {
    throw new ExpressionSyntaxError('expected a field or a named value after "above."', start);
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
function parseListed(reader: TokenReader, parseFilter: ParseFilter): readonly PathStep[] {
  reader.expect(".");
  const words = [nameOfList(reader)];
  while (reader.take("-")) words.push(nameOfList(reader));
  const name = words.join("-");
  reader.expect("[");
  return [{ kind: "field", name }, parseItems(reader, parseFilter)];
}

function nameOfList(reader: TokenReader): string {
  const { kind, text, offset } = reader.next();
  if (kind === "name") return text;
  throw new ExpressionSyntaxError('expected a reference list after "listed."', offset);
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

function parseStep(reader: TokenReader, parseFilter: ParseFilter): PathStep {
  const token = reader.next();
  if (token.kind === "named") return { kind: "named", name: token.text };
  if (token.text === "[" && token.kind === "sign") return parseItems(reader, parseFilter);
  if (token.text === "{}" && token.kind === "sign") return { kind: "members" };
  if (token.kind !== "name") throw unexpected(token);
  if (RESERVED.has(token.text)) {
    const reason = "a reserved word, which cannot be the name of a field in rules";
    throw new ExpressionSyntaxError(`unexpected "${token.text}": ${reason}`, token.offset);
  }
  const isParent = token.text === "parent" && PATH_SIGNS.has(reader.peek().text);
  return isParent ? { kind: "parent" } : { kind: "field", name: token.text };
}

function parseItems(reader: TokenReader, parseFilter: ParseFilter): PathStep {
  if (reader.take("]")) return { kind: "items" };
  const filter = parseFilter(reader);
  reader.expect("]");
  return { kind: "items", filter };
}
