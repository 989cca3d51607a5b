import { formatAttr } from "../../../json/attr.ts";
import { isJsonArray, isJsonObject } from "../../../json/json-value.ts";
import type { Expression, PathExpression, PathStep } from "../../language/expression.ts";
import type { Scope } from "../rule-context.ts";
import { enclosingObject, pathOf, type Cursor } from "./cursor.ts";
import { nonMissing } from "./rule-value.ts";

/**
 * Visits every value to which a path leads. Calls `missing` wherever a step finds no field, list or object. A list
 * without items is not missing.
 */
export type Walk = (here: Cursor, scope: Scope, visit: VisitCursor, missing?: Missing) => void;

/** `missing`: to be called if the value itself counts as missing. */
type VisitCursor = (cursor: Cursor, missing?: Missing) => void;

/** `item`: the innermost item of a list on the path that lacks the value. */
export type Missing = (item?: Cursor) => void;

/** Compiles the steps of a path, except a final named value, which the caller handles. */
export function compileWalk(path: PathExpression, testOf: (filter: Expression) => Predicate): Walk {
  const steps = path.steps.filter((step) => step.kind !== "named");
  const follow = steps.reduceRight<Walk>((next, step) => stepWalk(step, next, testOf), visitHere);
  if (path.base === "here") return follow;
  if (path.base === "above") return aboveWalk(path.steps[0], follow);
  const start = STARTS[path.base];
  return walkTo((_here, scope) => start(scope), follow);
}

/** Continues at the cursor that `find` returns. */
function walkTo(find: (here: Cursor, scope: Scope) => Cursor | undefined, next: Walk): Walk {
  return (here, scope, visit, missing) => {
    const cursor = find(here, scope);
    if (cursor === undefined) missing?.();
    else next(cursor, scope, visit, missing);
  };
}

export type Predicate = (here: Cursor, scope: Scope) => boolean;

type Start = Exclude<PathExpression["base"], "here" | "above">;

/** The cursor at which a path starts. For paths into reference lists (`listed`), see `reference-rows.ts`. */
export const STARTS: Readonly<Record<Start, (scope: Scope) => Cursor | undefined>> = {
  this: ({ self }) => self,
  top: ({ top }) => top,
  other: ({ other }) => other,
  found: ({ found }) => found,
  listed: () => undefined,
};

function visitHere(here: Cursor, _scope: Scope, visit: VisitCursor, missing?: Missing): void {
  visit(here, missing);
}

function stepWalk(step: PathStep, next: Walk, testOf: (filter: Expression) => Predicate): Walk {
  if (step.kind === "field") return walkTo((here, scope) => fieldOf(here, step.name, scope), next);
  if (step.kind === "items") return itemsWalk(step.filter && testOf(step.filter), next);
  if (step.kind === "members") return membersWalk(next);
  return walkTo(enclosingObject, next);
}

/** Returns the cursor of a field, or undefined if the field is absent or null. */
function fieldOf(here: Cursor, name: string, scope: Scope): Cursor | undefined {
  const { value } = here;
  if (!isJsonObject(value)) return undefined;
  if (scope.reported !== undefined) noteReported({ value: null, parent: here, key: name }, scope);
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  return member === undefined || member === null ? undefined : { value: member, parent: here, key: name };
}

function noteReported(cursor: Cursor, scope: Scope): void {
  if (isReported(cursor, scope)) scope.readsReported = true;
}

/** Whether the attr of the value already has a problem. */
export function isReported(cursor: Cursor, { reported }: Scope): boolean {
  return reported !== undefined && reported.has(formatAttr(pathOf(cursor)));
}

function itemsWalk(test: Predicate | undefined, next: Walk): Walk {
  return (here, scope, visit, missing) => {
    if (!isJsonArray(here.value)) return missing?.();
    const items = here.value;
    for (let index = 0; index < items.length; index += 1) {
      const item: Cursor = { value: items[index] ?? null, parent: here, key: index };
      if (scope.reported !== undefined) noteReported(item, scope);
      const lacks = missing && ((inner: Cursor = item): void => missing(inner));
      if (test === undefined || test(item, scope)) next(item, scope, visit, lacks);
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

/**
 * Starts at the nearest enclosing object in which the first field is present. For a named value, visits every enclosing
 * object, and the caller selects the nearest object with a value.
 */
function aboveWalk(first: PathStep | undefined, follow: Walk): Walk {
  if (first?.kind !== "field") {
    return (here, _scope, visit) => {
      for (let up = enclosingObject(here); up !== undefined; up = enclosingObject(up)) visit(up);
    };
  }
  return (here, scope, visit, missing) => {
    for (let up = enclosingObject(here); up !== undefined; up = enclosingObject(up)) {
      const cursor = fieldOf(up, first.name, scope);
      if (cursor !== undefined && nonMissing(cursor.value) !== undefined) return follow(up, scope, visit, missing);
    }
    missing?.();
  };
}
