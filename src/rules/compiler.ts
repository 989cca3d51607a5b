import type { Expression, PathExpression } from "../grammar/expression.ts";
import type { RuleWorld, Scope } from "./rule-world.ts";
import type { Spot } from "./spot.ts";
import type { Comparer, Value } from "./value.ts";
import type { Test, Walk } from "./walk-path.ts";

/** The one value of an expression; missing when a path gives several. */
export type Evaluate = (here: Spot, scope: Scope) => Value;
/** Every value of an expression that is present, with its spot where it has one; `missing` for each that is not. */
export type Collect = (here: Spot, scope: Scope, visit: Visit, missing?: () => void) => void;
export type Visit = (value: NonNullable<Value>, spot: Spot | undefined) => void;

/** Turns the expressions of rules into functions. */
export interface Compiler extends Comparer {
  readonly world: RuleWorld;
  readonly evaluate: (expression: Expression) => Evaluate;
  readonly collect: (expression: Expression) => Collect;
  readonly test: (expression: Expression) => Test;
  /** The spots that a path leads to, whatever is there. */
  readonly walk: (path: PathExpression) => Walk;
}

export function valuesOf(collect: Collect, here: Spot, scope: Scope): readonly NonNullable<Value>[] {
  const values: NonNullable<Value>[] = [];
  collect(here, scope, (value) => values.push(value));
  return values;
}
