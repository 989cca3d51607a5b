/** A parsed condition, operand or filter of a rule (docs/rules.md, "Expressions"). */
export type Expression = Literal | Operation | Condition | PathExpression;

export type Literal =
  | { readonly kind: "text"; readonly text: string }
  /** The digits as written. */
  | { readonly kind: "number"; readonly digits: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "missing" }
  | { readonly kind: "today" }
  | { readonly kind: "days"; readonly count: number };

type Operation =
  | { readonly kind: "setting"; readonly name: string }
  | {
      readonly kind: "arithmetic";
      readonly operator: Arithmetic;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "call"; readonly name: FunctionName; readonly operands: readonly Expression[] };

export type Condition =
  | {
      readonly kind: "comparison";
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "in"; readonly negated: boolean; readonly value: Expression; readonly set: readonly Expression[] }
  | { readonly kind: "presence"; readonly present: boolean; readonly value: Expression }
  | { readonly kind: "and"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "or"; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "not"; readonly operand: Expression };

const LITERALS: ReadonlySet<Expression["kind"]> = new Set(["text", "number", "boolean", "missing", "today", "days"]);
const CONDITIONS: ReadonlySet<Expression["kind"]> = new Set(["comparison", "in", "presence", "and", "or", "not"]);

export function isLiteral(expression: Expression): expression is Literal {
  return LITERALS.has(expression.kind);
}

export function isCondition(expression: Expression): expression is Condition {
  return CONDITIONS.has(expression.kind);
}

const KINDS: ReadonlySet<string> = new Set([...LITERALS, ...CONDITIONS, "setting", "arithmetic", "call", "path"]);

/** Whether an object in a rule is an expression. No other object in a rule has the `kind` of an expression. */
export function isExpression(part: object): part is Expression {
  return "kind" in part && typeof part.kind === "string" && KINDS.has(part.kind);
}

export type Arithmetic = "+" | "-" | "*" | "/";
export type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=";

export interface PathExpression {
  readonly kind: "path";
  /** Where the path starts; `above`: at the nearest enclosing object in which its first step is present. */
  readonly base: PathBase;
  readonly steps: readonly PathStep[];
  /** The path as written. */
  readonly text: string;
}

/** Returns the name of the named value at the end of a path. */
export function namedValueOf({ steps }: PathExpression): string | undefined {
  const last = steps.at(-1);
  return last?.kind === "named" ? last.name : undefined;
}

/** `listed`: the first step is the name of a reference list, the second selects its rows. */
export type PathBase = "here" | "this" | "top" | "above" | "other" | "found" | "listed";

export type PathStep =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "parent" }
  | { readonly kind: "items"; readonly filter?: Expression }
  /** The values of all fields of an object. */
  | { readonly kind: "members" }
  /** A named value; always the last step. */
  | { readonly kind: "named"; readonly name: string };

export type FunctionName = keyof typeof FUNCTIONS;

/** The minimum and maximum number of operands for each function. */
export const FUNCTIONS = {
  min: [1, 20],
  max: [1, 20],
  sum: [1, 20],
  count: [1, 20],
  first: [1, 20],
  if: [3, 3],
  join: [2, 20],
  lower: [1, 1],
  upper: [1, 1],
  trim: [1, 1],
  date: [1, 1],
  same: [2, 2],
  agrees: [2, 2],
  "name-of": [1, 1],
  "starts-with": [2, 2],
  "ends-with": [2, 2],
  contains: [2, 2],
  "is-format": [2, 3],
} as const;

/** Returns the direct subexpressions of an expression, including the filters of a path. */
export function subexpressionsOf(expression: Expression): readonly Expression[] {
  return Object.values(expression).flatMap(expressionsIn);
}

/** Returns the expressions in a part of a rule, at any depth, but not their subexpressions. */
export function expressionsIn(part: unknown): readonly Expression[] {
  if (typeof part !== "object" || part === null) return [];
  return isExpression(part) ? [part] : Object.values(part).flatMap(expressionsIn);
}
