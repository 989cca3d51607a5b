import {
  type Comparison,
  type Expression,
  type FunctionName,
  FUNCTIONS,
} from "../../../src/rules/language/expression.ts";
import type { PathBase, PathExpression, PathStep } from "../../../src/rules/language/expression.ts";
import type { Choices } from "./random-payloads.ts";

/** There are only a few names, so that a path often leads to a value. */
export const NAMES = ["a", "b", "c", "d", "e"] as const;
const TEXT = { kind: "text", text: "A" } as const;
export const FORMATS = ["phone", "uk-postcode", "not-blank", "integer", "iso-date", "caps"] as const;

const CALLS: readonly [FunctionName, ...FunctionName[]] = [
  "min",
  "max",
  "sum",
  "count",
  "first",
  "if",
  "join",
  "lower",
  "upper",
  "trim",
  "date",
  "same",
  "agrees",
  "name-of",
  "starts-with",
  "ends-with",
  "contains",
  "is-format",
];

export interface Making {
  readonly choices: Choices;
  /** Named values that may be used. A named value uses only the values after it. */
  readonly named: readonly string[];
}

export const chance = ({ choices }: Making, oneIn: number): boolean => choices.number(oneIn) === 0;

export function listOf<T>(making: Making, least: number, most: number, make: () => T): readonly T[] {
  return Array.from({ length: least + making.choices.number(most - least + 1) }, make);
}

function step(making: Making, depth: number): PathStep {
  const { choices } = making;
  if (chance(making, 12)) return { kind: "parent" };
  if (chance(making, 15)) return { kind: "members" };
  if (!chance(making, 3)) return { kind: "field", name: choices.pick(NAMES) };
  return chance(making, 4) ? { kind: "items", filter: expression(making, depth + 2) } : { kind: "items" };
}

export function path(making: Making, depth = 0): PathExpression {
  const { choices, named } = making;
  const bases = ["here", "here", "here", "here", "this", "top", "above", "other", "found", "listed"] as const;
  const base: PathBase = choices.pick(bases);
  const [name] = named.slice(choices.number(named.length + 1));
  const isNamed = name !== undefined && base !== "listed" && chance(making, 5);
  const steps: PathStep[] = [...listOf(making, isNamed ? 0 : 1, 4, () => step(making, depth))];
  if (base === "listed") steps.splice(0, 4, { kind: "field", name: "list" }, rowsOf(making, depth), column(making));
  if (isNamed) steps.push({ kind: "named", name });
  return { kind: "path", base, steps, text: "" };
}

/** Returns a step to rows of a reference list: usually to the rows with a certain cell, which an index finds. */
function rowsOf(making: Making, depth: number): PathStep {
  const { choices } = making;
  if (chance(making, 8)) return { kind: "items" };
  const cell: Expression = { kind: "path", base: "here", steps: [column(making)], text: "" };
  const value = chance(making, 2) ? valueOutside(making) : expression(making, depth + 2);
  const [left, right] = chance(making, 3) ? [value, cell] : [cell, value];
  const operator = choices.pick<Comparison>(["=", "=", "=", "!=", "<"]);
  const condition: Expression = { kind: "comparison", operator, left, right };
  if (!chance(making, 3)) return { kind: "items", filter: condition };
  const [one, other] = chance(making, 2) ? [condition, expression(making, 3)] : [expression(making, 3), condition];
  return { kind: "items", filter: { kind: choices.pick(["and", "and", "or"]), left: one, right: other } };
}

/** Returns an expression that does not depend on the row. */
function valueOutside({ choices }: Making): Expression {
  const base: PathBase = choices.pick(["this", "top"]);
  const steps: PathStep[] = [{ kind: "field", name: choices.pick(NAMES) }];
  return choices.pick<Expression>([TEXT, { kind: "path", base, steps, text: "" }]);
}

function column({ choices }: Making): PathStep {
  return { kind: "field", name: choices.pick(["a", "b"]) };
}

export function literal({ choices }: Making): Expression {
  return choices.pick<Expression>([
    TEXT,
    { kind: "text", text: "B" },
    { kind: "text", text: "2024-06-15" },
    { kind: "number", digits: "2" },
    { kind: "boolean", value: true },
    { kind: "boolean", value: false },
    { kind: "missing" },
    { kind: "today" },
    { kind: "setting", name: choices.pick(["on", "off", "list", "region", "absent"]) },
  ]);
}

export function expression(making: Making, depth = 0): Expression {
  const { choices } = making;
  if (depth > 4 || chance(making, 6)) return literal(making);
  const inner = (): Expression => expression(making, depth + 1);
  switch (choices.number(11)) {
    case 0:
      return call(making, inner);
    case 1:
      return arithmetic(making, inner);
    case 2:
      return { kind: "not", operand: inner() };
    case 3:
      return { kind: choices.pick(["and", "or"]), left: inner(), right: inner() };
    case 4:
    case 5:
      return { kind: "presence", present: choices.number(2) === 0, value: inner() };
    case 6:
      return { kind: "in", negated: choices.number(2) === 0, value: inner(), set: listOf(making, 1, 2, inner) };
    case 7:
      return {
        kind: "comparison",
        operator: choices.pick(["=", "!=", "<", "<=", ">", ">="]),
        left: inner(),
        right: inner(),
      };
    default:
      return path(making, depth);
  }
}

function arithmetic(making: Making, inner: () => Expression): Expression {
  const right: Expression = chance(making, 3) ? { kind: "days", count: 1 } : inner();
  return { kind: "arithmetic", operator: making.choices.pick(["+", "-", "*", "/"]), left: inner(), right };
}

function call(making: Making, inner: () => Expression): Expression {
  const name = making.choices.pick(CALLS);
  const [least, most] = FUNCTIONS[name];
  const operands = listOf(making, least, Math.min(most, least + 1), inner);
  if (name !== "is-format") return { kind: "call", name, operands };
  const [value = TEXT] = operands;
  return { kind: "call", name, operands: [value, { kind: "text", text: making.choices.pick(FORMATS) }] };
}
