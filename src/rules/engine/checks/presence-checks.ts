import type { FieldGroup } from "../../language/rule.ts";
import type { PathExpression } from "../../language/expression.ts";
import type { CheckContext, CheckOf, CompiledCheck, RuleCompiler } from "../expressions/rule-compiler.ts";
import type { Scope } from "../rule-context.ts";
import type { Cursor } from "../expressions/cursor.ts";
import type { Predicate } from "../expressions/walk-path.ts";

export function requiredCheck({ fields, oneOf }: CheckOf<"required-when">, { compiler }: CheckContext): CompiledCheck {
  const groups = groupsOf(fields, compiler);
  return (here, scope, report) => {
    const missing = groups.filter((group) => !group.isPresent(here, scope));
    if (missing.length > 0 && !(oneOf && missing.length < groups.length)) report(undefined, missing[0]?.first);
  };
}

export function forbiddenCheck({ fields }: CheckOf<"forbidden-when">, { compiler }: CheckContext): CompiledCheck {
  const groups = groupsOf(fields, compiler);
  return (here, scope, report) => {
    for (const group of groups) {
      if (group.isPresent(here, scope)) for (const cursor of group.present(here, scope)) report(cursor);
    }
  };
}

export function requiresCheck(
  { needs, oneOf, if: condition }: CheckOf<"requires">,
  context: CheckContext,
): CompiledCheck {
  const { compiler } = context;
  const checkNeeds = requiredCheck({ kind: "required-when", fields: needs, oneOf }, context);
  const groups = groupsOf(needs, compiler);
  const isAnyPresent: Predicate = (here, scope) => groups.some((group) => group.isPresent(here, scope));
  const applies = condition === undefined ? isAnyPresent : compiler.test(condition);
  return (here, scope, report) => {
    if (applies(here, scope)) checkNeeds(here, scope, report);
  };
}

export function requiresOneOfCheck(
  { fields, min, max }: CheckOf<"requires-one-of">,
  { compiler }: CheckContext,
): CompiledCheck {
  const groups = groupsOf(fields, compiler);
  return (here, scope, report) => {
    if (scope.reported === undefined) {
      const count = groups.filter((group) => group.isPresent(here, scope)).length;
      if (count >= min && (max === undefined || count <= max)) return;
    }
    const present = groups.map((group) => group.present(here, scope)).filter((cursors) => cursors.length > 0);
    if (present.length < min) report(undefined, present.length === 0 ? groups[0]?.first : undefined);
    else if (max !== undefined && present.length > max) report(present[max]?.[0]);
  };
}

export function forbidsTogetherCheck({ fields }: CheckOf<"forbids-together">, context: CheckContext): CompiledCheck {
  return requiresOneOfCheck({ kind: "requires-one-of", fields, min: 0, max: 1 }, context);
}

interface Group {
  readonly first: PathExpression | undefined;
  readonly isPresent: Predicate;
  /** The cursors at which any of the fields is present. */
  readonly present: (here: Cursor, scope: Scope) => readonly Cursor[];
}

function groupsOf(fields: readonly FieldGroup[], compiler: RuleCompiler): readonly Group[] {
  return fields.map((group) => {
    const collects = group.map(compiler.collect);
    const tests = group.map((value) => compiler.test({ kind: "presence", present: true, value }));
    return {
      first: group[0],
      isPresent: (here, scope) => {
        let isPresent = false;
        // Reads all fields, because reading a field records whether its attr has already been reported.
        for (const test of tests) if (test(here, scope)) isPresent = true;
        return isPresent;
      },
      present: (here, scope) => {
        const cursors: Cursor[] = [];
        for (const collect of collects) collect(here, scope, (_value, cursor) => cursors.push(cursor ?? here));
        return cursors;
      },
    };
  });
}
