import type { Rule, RuleKind } from "../language/rule.ts";
import type { PathExpression } from "../language/expression.ts";
import { formatAttr, NON_FIELD_ERRORS, type AttrPath, type AttrSegment } from "../../json/attr.ts";
import { isJsonObject, type JsonValue } from "../../json/json-value.ts";
import {
  type CheckContext,
  type CheckOf,
  type CompiledCheck,
  type ReportBroken,
  type RuleCompiler,
} from "./expressions/rule-compiler.ts";
import { clockCheck, contiguousCheck, coveredCheck, dateOrderCheck, overlapCheck } from "./checks/date-checks.ts";
import { countCheck, uniqueCheck } from "./checks/list-checks.ts";
import {
  forbiddenCheck,
  forbidsTogetherCheck,
  requiredCheck,
  requiresCheck,
  requiresOneOfCheck,
} from "./checks/presence-checks.ts";
import type { Scope } from "./rule-context.ts";
import { pathOf, type Cursor } from "./expressions/cursor.ts";
import { isReported, type Walk } from "./expressions/walk-path.ts";
import {
  conditionalValueCheck,
  equalsAcrossCheck,
  formatCheck,
  holdsCheck,
  inSetCheck,
  lookupCheck,
  refersToCheck,
  sumCheck,
  withinCheck,
} from "./checks/value-checks.ts";

/** Checks the value to which a rule is attached; `holder` is the cursor of the value. */
export type CompiledRule = (holder: Cursor, scope: Scope, add: (broken: BrokenRule) => void) => void;

export interface BrokenRule {
  readonly rule: Rule;
  readonly attr: string;
  /** The path of the invalid value, or of the missing value. */
  readonly path: AttrPath;
  readonly value: JsonValue | undefined;
}

export function compileRule(rule: Rule, compiler: RuleCompiler): CompiledRule {
  const runCheck = compileCheck(rule, { compiler, skipIfMissing: rule.skipIfMissing });
  const applies = rule.when && compiler.test(rule.when);
  const each = rule.each && compiler.walk(rule.each);
  let broken: BrokenRule[] = [];
  const report: ReportBroken = (at, field) => void broken.push(brokenAt(rule, current.top, at ?? current.self, field));
  let current: Scope;
  const checkOne = (here: Cursor, scope: Scope, add: (broken: BrokenRule) => void): void => {
    scope.self = here;
    scope.readsReported = scope.reported !== undefined && isReported(here, scope);
    if (applies?.(here, scope) === false) return;
    current = scope;
    // The list is empty, unless the previous check ended with an exception.
    if (broken.length > 0) broken = [];
    runCheck(here, scope, report);
    if (broken.length === 0) return;
    const found = broken;
    broken = [];
    if (!scope.readsReported) for (const one of found) add(one);
  };
  return (holder, scope, add) => {
    scope.self = holder;
    scope.top = holder;
    if (each === undefined) checkOne(holder, scope, add);
    else for (const item of cursorsAt(each, holder, scope)) checkOne(item, scope, add);
  };
}

/** Collects all cursors before the checks, because a check changes the scope that the walk reads. */
function cursorsAt(walk: Walk, here: Cursor, scope: Scope): readonly Cursor[] {
  const cursors: Cursor[] = [];
  walk(here, scope, (cursor) => cursors.push(cursor));
  return cursors;
}

type CheckCompilers = { readonly [Kind in RuleKind]: (check: CheckOf<Kind>, context: CheckContext) => CompiledCheck };

const CHECK_COMPILERS: CheckCompilers = {
  "required-when": requiredCheck,
  "forbidden-when": forbiddenCheck,
  requires: requiresCheck,
  "requires-one-of": requiresOneOfCheck,
  "forbids-together": forbidsTogetherCheck,
  "conditional-value": conditionalValueCheck,
  "in-set": inSetCheck,
  lookup: lookupCheck,
  "matches-format": formatCheck,
  "date-order": dateOrderCheck,
  "not-future": clockCheck,
  "not-past": clockCheck,
  within: withinCheck,
  "unique-by": uniqueCheck,
  "count-limit": countCheck,
  "equals-across": equalsAcrossCheck,
  "sum-equals": sumCheck,
  "refers-to": refersToCheck,
  "no-overlap": overlapCheck,
  contiguous: contiguousCheck,
  "covered-by": coveredCheck,
  holds: holdsCheck,
};

function compileCheck<Kind extends RuleKind>(check: CheckOf<Kind>, context: CheckContext): CompiledCheck {
  return CHECK_COMPILERS[check.kind](check, context);
}

function brokenAt(rule: Rule, holder: Cursor, at: Cursor, field: PathExpression | undefined): BrokenRule {
  const path = [...pathOf(at), ...plainFields(field)];
  const value = field === undefined ? at.value : undefined;
  return { rule, attr: attrOf(rule, holder, path), path, value };
}

/** Returns the leading field names in the path of a missing field. */
function plainFields(field: PathExpression | undefined): AttrPath {
  if (field === undefined || field.base !== "here") return [];
  const names: AttrSegment[] = [];
  for (const step of field.steps) {
    if (step.kind !== "field") break;
    names.push(step.name);
  }
  return names;
}

function attrOf({ attr }: Rule, holder: Cursor, path: AttrPath): string {
  const base = pathOf(holder);
  if (attr === undefined) return formatAttr(isJsonObject(holder.value) ? [...base, NON_FIELD_ERRORS] : base);
  const indexes = path.slice(base.length).filter((part) => typeof part === "number");
  const segments: AttrSegment[] = [];
  for (const segment of attr) {
    const index = segment === "[]" ? indexes.shift() : segment;
    if (index === undefined) break;
    segments.push(index);
  }
  return formatAttr([...base, ...segments]);
}
