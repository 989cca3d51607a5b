import type { Expression, PathExpression } from "../../language/expression.ts";
import type { RuleCheck, RuleKind } from "../../language/rule.ts";
import type { RuleContext, Scope } from "../rule-context.ts";
import type { Cursor } from "./cursor.ts";
import type { Comparer, Value } from "./rule-value.ts";
import type { Predicate, Walk } from "./walk-path.ts";

/** The one value of an expression; missing when a path gives several. */
export type Evaluate = (here: Cursor, scope: Scope) => Value;
/** Every value of an expression that is present, with its cursor where it has one; `missing` for each that is not. */
export type Collect = (here: Cursor, scope: Scope, visit: VisitValue, missing?: () => void) => void;
export type VisitValue = (value: NonNullable<Value>, cursor: Cursor | undefined) => void;

/** Turns the expressions of rules into functions. */
export interface RuleCompiler extends Comparer {
  readonly context: RuleContext;
  readonly evaluate: (expression: Expression) => Evaluate;
  readonly collect: (expression: Expression) => Collect;
  readonly test: (expression: Expression) => Predicate;
  /** The cursors that a path leads to, whatever their values. */
  readonly walk: (path: PathExpression) => Walk;
}

export function valuesOf(collect: Collect, here: Cursor, scope: Scope): readonly NonNullable<Value>[] {
  const values: NonNullable<Value>[] = [];
  collect(here, scope, (value) => values.push(value));
  return values;
}

/** Checks one object and reports what breaks the rule. */
export type CompiledCheck = (here: Cursor, scope: Scope, report: ReportBroken) => void;

/** `at`: the value in question; without one, the object that is checked. `field`: what is missing at it. */
export type ReportBroken = (at?: Cursor, field?: PathExpression) => void;

export type CheckOf<Kind extends RuleKind> = Extract<RuleCheck, { readonly kind: Kind }>;

/** What the check of a rule is compiled with. */
export interface CheckContext {
  readonly compiler: RuleCompiler;
  /** Whether a missing operand passes. */
  readonly skipIfMissing: boolean;
}
