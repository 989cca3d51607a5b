import { isJsonObject, type JsonValue } from "../../../json/json-value.ts";
import type { Expression, PathExpression, PathStep } from "../../language/expression.ts";
import type { RuleContext, Scope } from "../rule-context.ts";
import { enclosingObject, type Cursor } from "./cursor.ts";
import type { Evaluate, RuleCompiler } from "./rule-compiler.ts";
import { nonMissing, type Value } from "./rule-value.ts";
import { STARTS } from "./walk-path.ts";

/**
 * Compiles an expression that has at most one value in every payload. Returns undefined if the expression can have
 * several values. The result is the value that `collect` visits.
 */
export function singleValue(expression: Expression, compiler: RuleCompiler): Evaluate | undefined {
  return isSingle(expression, compiler.context) ? compiler.evaluate(expression) : undefined;
}

function isSingle(expression: Expression, context: RuleContext): boolean {
  if (expression.kind === "setting") return typeof context.settings.get(expression.name) !== "object";
  return expression.kind !== "path" || (expression.base !== "listed" && readPath(expression, context) !== undefined);
}

/**
 * Compiles a path with at most one value to a function that reads the value without cursors. Returns undefined for
 * other paths. The function does not record which fields it reads, so it can be used only for payloads without reported
 * attrs.
 */
export function quickPath(path: PathExpression, compiler: RuleCompiler): Evaluate | undefined {
  const plain = readPath(path, compiler.context);
  if (plain === undefined || path.base === "listed") return undefined;
  const { parents, fields, named } = plain;
  const [first, ...others] = fields;
  if (path.base === "above") return named === undefined ? aboveField(fields) : nearest(evaluateNamed(named, compiler));
  const valueAt = named === undefined ? undefined : evaluateNamed(named, compiler);
  if (path.base === "here" && parents === 0) {
    if (valueAt !== undefined) return valueAt;
    if (first !== undefined && others.length === 0) return ({ value }) => memberOf(value, first);
    return ({ value }) => fieldIn(value, fields);
  }
  const start = path.base === "here" ? undefined : STARTS[path.base];
  return (here, scope) => {
    let at = start === undefined ? here : start(scope);
    for (let up = 0; up < parents && at !== undefined; up += 1) at = enclosingObject(at);
    if (at === undefined) return undefined;
    return valueAt === undefined ? fieldIn(at.value, fields) : valueAt(at, scope);
  };
}

/** A path of `parent` steps, followed by either fields or a named value. */
interface PlainPath {
  readonly parents: number;
  readonly fields: readonly string[];
  readonly named: string | undefined;
}

function readPath({ base, steps }: PathExpression, context: RuleContext): PlainPath | undefined {
  const plain = plainSteps(steps);
  if (plain === undefined) return undefined;
  if (base === "above" && (plain.parents > 0 || (plain.named === undefined && plain.fields.length === 0))) {
    return undefined;
  }
  const value = plain.named === undefined ? undefined : context.declarations.values.get(plain.named);
  return value === undefined || isSingle(value, context) ? plain : undefined;
}

function plainSteps(steps: readonly PathStep[]): PlainPath | undefined {
  let parents = 0;
  const fields: string[] = [];
  let named: string | undefined;
  for (const step of steps) {
    if (step.kind === "field") fields.push(step.name);
    else if (fields.length > 0) return undefined;
    else if (step.kind === "parent") parents += 1;
    else if (step.kind === "named") named = step.name;
    else return undefined;
  }
  return { parents, fields, named };
}

function evaluateNamed(name: string, compiler: RuleCompiler): Evaluate {
  const expression = compiler.context.declarations.values.get(name);
  return expression === undefined ? () => undefined : compiler.evaluate(expression);
}

function memberOf(value: JsonValue, name: string): Value {
  return isJsonObject(value) && Object.hasOwn(value, name) ? nonMissing(value[name]) : undefined;
}

function fieldIn(value: JsonValue, names: readonly string[]): Value {
  let member: JsonValue | undefined = value;
  for (const name of names) {
    if (!isJsonObject(member) || !Object.hasOwn(member, name)) return undefined;
    member = member[name];
  }
  return nonMissing(member);
}

/** Reads a path from the nearest enclosing object that contains the first field of the path. */
function aboveField(fields: readonly string[]): Evaluate {
  const [first = ""] = fields;
  return (here) => {
    for (let up = enclosingObject(here); up !== undefined; up = enclosingObject(up)) {
      if (memberOf(up.value, first) !== undefined) return fieldIn(up.value, fields);
    }
    return undefined;
  };
}

/** Compiles a function that returns the first value that `valueAt` finds, starting at the nearest enclosing object. */
function nearest(valueAt: Evaluate): (here: Cursor, scope: Scope) => Value {
  return (here, scope) => {
    for (let up = enclosingObject(here); up !== undefined; up = enclosingObject(up)) {
      const value = valueAt(up, scope);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}
