import { formatAttr } from "../model/attr.ts";
import { isJsonArray, isJsonObject } from "../model/json.ts";
import type { PathExpression, PathStep } from "../grammar/expression.ts";
import type { Scope } from "./rule-world.ts";
import { around, pathOf, type Spot } from "./spot.ts";
import { given } from "./value.ts";

/** Visits every spot that a path leads to; `missing` is called where it leads to nothing. */
export type Walk = (here: Spot, scope: Scope, visit: (spot: Spot) => void, missing?: () => void) => void;

/** Compiles the steps of a path, named values excepted: whoever asks looks after a last one. */
export function compileWalk(path: PathExpression, testOf: (filter: PathFilter) => Test): Walk {
  const steps = path.steps.filter((step) => step.kind !== "named");
  const follow = steps.reduceRight<Walk>((next, step) => stepWalk(step, next, testOf), arrive);
  if (path.base === "here") return follow;
  if (path.base === "above") return aboveWalk(path.steps[0], follow);
  const start = STARTS[path.base];
  return (_here, scope, visit, missing) => {
    const spot = start(scope);
    if (spot === undefined) missing?.();
    else follow(spot, scope, visit, missing);
  };
}

export type PathFilter = NonNullable<Extract<PathStep, { kind: "items" }>["filter"]>;
export type Test = (here: Spot, scope: Scope) => boolean;

type Start = Exclude<PathExpression["base"], "here" | "above">;

/** Rows of a list are found in their own way (listed-rows.ts). */
const STARTS: Readonly<Record<Start, (scope: Scope) => Spot | undefined>> = {
  this: ({ self }) => self,
  top: ({ top }) => top,
  other: ({ other }) => other,
  found: ({ found }) => found,
  listed: () => undefined,
};

function arrive(here: Spot, _scope: Scope, visit: (spot: Spot) => void): void {
  visit(here);
}

function stepWalk(step: PathStep, next: Walk, testOf: (filter: PathFilter) => Test): Walk {
  if (step.kind === "field") return fieldWalk(step.name, next);
  if (step.kind === "items") return itemsWalk(step.filter && testOf(step.filter), next);
  if (step.kind === "members") return membersWalk(next);
  return (here, scope, visit, missing) => {
    const up = around(here);
    if (up === undefined) missing?.();
    else next(up, scope, visit, missing);
  };
}

function fieldWalk(name: string, next: Walk): Walk {
  return (here, scope, visit, missing) => {
    const spot = fieldOf(here, name, scope);
    if (spot === undefined) missing?.();
    else next(spot, scope, visit, missing);
  };
}

/** Undefined for a field that is not there, or null. */
export function fieldOf(here: Spot, name: string, scope: Scope): Spot | undefined {
  const { value } = here;
  if (!isJsonObject(value)) return undefined;
  if (scope.wrong !== undefined) noteWrong({ value: null, up: here, key: name }, scope);
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  return member === undefined || member === null ? undefined : { value: member, up: here, key: name };
}

function noteWrong(spot: Spot, scope: Scope): void {
  if (isWrong(spot, scope)) scope.unsound = true;
}

/** Whether the value itself is reported already. */
export function isWrong(spot: Spot, { wrong }: Scope): boolean {
  return wrong !== undefined && wrong.has(formatAttr(pathOf(spot)));
}

function itemsWalk(test: Test | undefined, next: Walk): Walk {
  return (here, scope, visit, missing) => {
    if (!isJsonArray(here.value)) return missing?.();
    for (const [index, value] of here.value.entries()) {
      const item: Spot = { value, up: here, key: index };
      if (scope.wrong !== undefined) noteWrong(item, scope);
      if (test === undefined || test(item, scope)) next(item, scope, visit, missing);
    }
  };
}

function membersWalk(next: Walk): Walk {
  return (here, scope, visit, missing) => {
    if (!isJsonObject(here.value)) return missing?.();
    for (const name of Object.keys(here.value)) {
      const member = fieldOf(here, name, scope);
      if (member !== undefined) next(member, scope, visit, missing);
    }
  };
}

/** From the nearest object around in which the first step is present; where it is a named value, the caller asks. */
function aboveWalk(first: PathStep | undefined, follow: Walk): Walk {
  if (first?.kind !== "field") return (here, _scope, visit) => eachAbove(here, visit);
  return (here, scope, visit, missing) => {
    for (let up = around(here); up !== undefined; up = around(up)) {
      const spot = fieldOf(up, first.name, scope);
      if (spot !== undefined && given(spot.value) !== undefined) return follow(up, scope, visit, missing);
    }
    missing?.();
  };
}

function eachAbove(here: Spot, visit: (spot: Spot) => void): void {
  for (let up = around(here); up !== undefined; up = around(up)) visit(up);
}
