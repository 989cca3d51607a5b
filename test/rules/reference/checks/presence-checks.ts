import type { FieldGroup } from "../../../../src/rules/language/rule.ts";
import type { PathExpression } from "../../../../src/rules/language/expression.ts";
import {
  type CheckContext,
  type CheckOf,
  type CompiledCheck,
  type RuleCompiler,
} from "../expressions/rule-compiler.ts";
import type { Scope } from "../../../../src/rules/engine/rule-context.ts";
import type { Cursor } from "../expressions/cursor.ts";

export function requiredCheck({ fields, oneOf }: CheckOf<"required-when">, { compiler }: CheckContext): CompiledCheck {
  return missingCheck(fields, oneOf, compiler);
}

export function forbiddenCheck({ fields }: CheckOf<"forbidden-when">, { compiler }: CheckContext): CompiledCheck {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    for (const group of groups) for (const cursor of group.present(here, scope)) report(cursor);
  };
}

export function requiresCheck(check: CheckOf<"requires">, { compiler }: CheckContext): CompiledCheck {
  const checkMissing = missingCheck(check.needs, check.oneOf, compiler);
  if (check.if === undefined) return allOrNone(check.needs, checkMissing, compiler);
  const holds = compiler.test(check.if);
  return (here, scope, report) => {
    if (holds(here, scope)) checkMissing(here, scope, report);
  };
}

export function requiresOneOfCheck(
  { fields, min, max }: CheckOf<"requires-one-of">,
  { compiler }: CheckContext,
): CompiledCheck {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    const present = groups.map((group) => group.present(here, scope)).filter((cursors) => cursors.length > 0);
    if (present.length < min) report(undefined, present.length === 0 ? groups[0]?.first : undefined);
    else if (max !== undefined && present.length > max) report(present[max]?.[0]);
  };
}

export function forbidsTogetherCheck({ fields }: CheckOf<"forbids-together">, context: CheckContext): CompiledCheck {
  return requiresOneOfCheck({ kind: "requires-one-of", fields, min: 0, max: 1 }, context);
}

function missingCheck(fields: readonly FieldGroup[], oneOf: boolean, compiler: RuleCompiler): CompiledCheck {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    const missing = groups.filter((group) => group.present(here, scope).length === 0);
    if (oneOf && missing.length < groups.length) return;
    const [first] = missing;
    if (first !== undefined) report(undefined, first.first);
  };
}

function allOrNone(fields: readonly FieldGroup[], checkMissing: CompiledCheck, compiler: RuleCompiler): CompiledCheck {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    if (groups.some((group) => group.present(here, scope).length > 0)) checkMissing(here, scope, report);
  };
}

interface Group {
  readonly first: PathExpression | undefined;
  /** Returns the cursors at which any of the fields is present. */
  readonly present: (here: Cursor, scope: Scope) => readonly Cursor[];
}

function groupOf(group: FieldGroup, compiler: RuleCompiler): Group {
  const collects = group.map(compiler.collect);
  return {
    first: group[0],
    present: (here, scope) => {
      const cursors: Cursor[] = [];
      for (const collect of collects) collect(here, scope, (_value, cursor) => cursors.push(cursor ?? here));
      return cursors;
    },
  };
}
