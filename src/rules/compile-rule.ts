import type { Rule, RuleKind } from "../grammar/rule.ts";
import type { PathExpression } from "../grammar/expression.ts";
import { formatAttr, NON_FIELD_ERRORS, type AttrPath, type AttrSegment } from "../model/attr.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";
import type { CheckContext, CheckOf, Judge } from "./checks.ts";
import type { Compiler } from "./compiler.ts";
import { clockCheck, dateOrderCheck } from "./date-checks.ts";
import { countCheck, uniqueCheck } from "./list-checks.ts";
import { contiguousCheck, coveredCheck, overlapCheck } from "./period-checks.ts";
import {
  forbiddenCheck,
  forbidsTogetherCheck,
  requiredCheck,
  requiresCheck,
  requiresOneOfCheck,
} from "./presence-checks.ts";
import type { Scope } from "./rule-world.ts";
import { pathOf, type Spot } from "./spot.ts";
import { isWrong } from "./walk-path.ts";
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
} from "./value-checks.ts";

/** Judges the value that a rule stands on; `holder` is its spot. */
export type RuleJudge = (holder: Spot, scope: Scope, add: (broken: BrokenRule) => void) => void;

export interface BrokenRule {
  readonly rule: Rule;
  readonly attr: string;
  /** The way to the value in question, or to where it should be. */
  readonly path: AttrPath;
  readonly value: JsonValue | undefined;
}

export function compileRule(rule: Rule, compiler: Compiler): RuleJudge {
  const judge = checkOf(rule, { compiler, skipIfMissing: rule.skipIfMissing });
  const applies = rule.when && compiler.test(rule.when);
  const each = rule.each && compiler.walk(rule.each);
  return (holder, scope, add) => {
    const judgeOne = (here: Spot): void => {
      scope.self = here;
      scope.unsound = isWrong(here, scope);
      if (applies?.(here, scope) === false) return;
      const broken: BrokenRule[] = [];
      judge(here, scope, (at, field) => broken.push(brokenAt(rule, holder, at ?? here, field)));
      if (!scope.unsound) for (const one of broken) add(one);
    };
    scope.self = holder;
    scope.top = holder;
    if (each === undefined) judgeOne(holder);
    else for (const item of spotsOf(each, holder, scope)) judgeOne(item);
  };
}

/** Gathered first: judging one of them must not be taken for the walk. */
function spotsOf(walk: ReturnType<Compiler["walk"]>, here: Spot, scope: Scope): readonly Spot[] {
  const spots: Spot[] = [];
  walk(here, scope, (spot) => spots.push(spot));
  return spots;
}

type Checks = { readonly [Kind in RuleKind]: (check: CheckOf<Kind>, context: CheckContext) => Judge };

const CHECKS: Checks = {
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

function checkOf<Kind extends RuleKind>(check: CheckOf<Kind>, context: CheckContext): Judge {
  return CHECKS[check.kind](check, context);
}

function brokenAt(rule: Rule, holder: Spot, at: Spot, field: PathExpression | undefined): BrokenRule {
  const path = [...pathOf(at), ...plainFields(field)];
  const value = field === undefined ? at.value : undefined;
  return { rule, attr: attrOf(rule, holder, path), path, value };
}

/** The way to a missing field, as far as it is a chain of names. */
function plainFields(field: PathExpression | undefined): AttrPath {
  if (field === undefined || field.base !== "here") return [];
  const names: AttrSegment[] = [];
  for (const step of field.steps) {
    if (step.kind !== "field") break;
    names.push(step.name);
  }
  return names;
}

function attrOf({ attr }: Rule, holder: Spot, path: AttrPath): string {
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
