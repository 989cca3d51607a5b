import type { RuleCheck, RuleKind } from "../grammar/rule.ts";
import type { PathExpression } from "../grammar/expression.ts";
import type { Compiler } from "./compiler.ts";
import type { Scope } from "./rule-world.ts";
import type { Spot } from "./spot.ts";

/** Judges one object, and reports what breaks the rule. */
export type Judge = (here: Spot, scope: Scope, report: Report) => void;

/** `at`: the value in question; without one, the object that is judged. `field`: what is missing at it. */
export type Report = (at?: Spot, field?: PathExpression) => void;

export type CheckOf<Kind extends RuleKind> = Extract<RuleCheck, { readonly kind: Kind }>;

/** What the check of a rule is compiled with. */
export interface CheckContext {
  readonly compiler: Compiler;
  /** Whether a missing operand passes. */
  readonly skipIfMissing: boolean;
}
