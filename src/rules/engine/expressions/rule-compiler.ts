import type { Expression, PathExpression } from "../../language/expression.ts";
import type { RuleCheck, RuleKind } from "../../language/rule.ts";
import type { RuleContext, Scope } from "../rule-context.ts";
import type { Cursor } from "./cursor.ts";
import type { Comparer, Value } from "./rule-value.ts";
import type { Missing, Predicate, Walk } from "./walk-path.ts";

/** Returns the single value of an expression, or undefined if the value is missing or a path has several values. */
export type Evaluate = (here: Cursor, scope: Scope) => Value;
/**
 * Visits every present value of an expression, with its cursor if it has one; calls `missing` for each absent value.
 */
export type Collect = (here: Cursor, scope: Scope, visit: VisitValue, missing?: Missing) => void;
export type VisitValue = (value: NonNullable<Value>, cursor: Cursor | undefined) => void;

export interface RuleCompiler extends Comparer {
  readonly context: RuleContext;
  readonly evaluate: (expression: Expression) => Evaluate;
  /** Compiles an expression as `evaluate` does; returns undefined if the expression can have several values. */
  readonly single: (expression: Expression) => Evaluate | undefined;
  readonly collect: (expression: Expression) => Collect;
  readonly test: (expression: Expression) => Predicate;
  /** Compiles a walk over the cursors to which a path leads, including cursors with a blank or empty value. */
  readonly walk: (path: PathExpression) => Walk;
}

export function valuesOf(collect: Collect, here: Cursor, scope: Scope): readonly NonNullable<Value>[] {
  const values: NonNullable<Value>[] = [];
  collect(here, scope, (value) => values.push(value));
  return values;
}

/** Checks one object and reports violations of the rule. */
export type CompiledCheck = (here: Cursor, scope: Scope, report: ReportBroken) => void;

/** `at`: the invalid value; by default, the object that is checked. `field`: the missing field of that value. */
export type ReportBroken = (at?: Cursor, field?: PathExpression) => void;

export type CheckOf<Kind extends RuleKind> = Extract<RuleCheck, { readonly kind: Kind }>;

export interface CheckContext {
  readonly compiler: RuleCompiler;
  /** Whether the rule passes if an operand is missing. */
  readonly skipIfMissing: boolean;
}
