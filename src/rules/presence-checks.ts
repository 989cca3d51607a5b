import type { FieldGroup } from "../grammar/rule.ts";
import type { PathExpression } from "../grammar/expression.ts";
import type { CheckContext, CheckOf, Judge } from "./checks.ts";
import type { Compiler } from "./compiler.ts";
import type { Scope } from "./rule-world.ts";
import type { Spot } from "./spot.ts";

export function requiredCheck({ fields, oneOf }: CheckOf<"required-when">, { compiler }: CheckContext): Judge {
  return missingCheck(fields, oneOf, compiler);
}

export function forbiddenCheck({ fields }: CheckOf<"forbidden-when">, { compiler }: CheckContext): Judge {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    for (const group of groups) for (const spot of group.present(here, scope)) report(spot);
  };
}

export function requiresCheck(check: CheckOf<"requires">, { compiler }: CheckContext): Judge {
  const judge = missingCheck(check.needs, check.oneOf, compiler);
  if (check.if === undefined) return allOrNone(check.needs, judge, compiler);
  const holds = compiler.test(check.if);
  return (here, scope, report) => {
    if (holds(here, scope)) judge(here, scope, report);
  };
}

export function requiresOneOfCheck(
  { fields, min, max }: CheckOf<"requires-one-of">,
  { compiler }: CheckContext,
): Judge {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    const present = groups.map((group) => group.present(here, scope)).filter((spots) => spots.length > 0);
    if (present.length < min) report(undefined, present.length === 0 ? groups[0]?.first : undefined);
    else if (max !== undefined && present.length > max) report(present[max]?.[0]);
  };
}

export function forbidsTogetherCheck({ fields }: CheckOf<"forbids-together">, { compiler }: CheckContext): Judge {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    const present = groups.map((group) => group.present(here, scope)).filter((spots) => spots.length > 0);
    if (present.length > 1) report(present[1]?.[0]);
  };
}

function missingCheck(fields: readonly FieldGroup[], oneOf: boolean, compiler: Compiler): Judge {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    const missing = groups.filter((group) => group.present(here, scope).length === 0);
    if (oneOf && missing.length < groups.length) return;
    const [first] = missing;
    if (first !== undefined) report(undefined, first.first);
  };
}

function allOrNone(fields: readonly FieldGroup[], judge: Judge, compiler: Compiler): Judge {
  const groups = fields.map((group) => groupOf(group, compiler));
  return (here, scope, report) => {
    if (groups.some((group) => group.present(here, scope).length > 0)) judge(here, scope, report);
  };
}

interface Group {
  readonly first: PathExpression | undefined;
  /** The spots at which any of the fields is present. */
  readonly present: (here: Spot, scope: Scope) => readonly Spot[];
}

function groupOf(group: FieldGroup, compiler: Compiler): Group {
  const collects = group.map(compiler.collect);
  return {
    first: group[0],
    present: (here, scope) => {
      const spots: Spot[] = [];
      for (const collect of collects) collect(here, scope, (_value, spot) => spots.push(spot ?? here));
      return spots;
    },
  };
}
