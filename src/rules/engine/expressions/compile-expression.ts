import {
  type Comparison,
  type Condition,
  type Expression,
  type Literal,
  type PathExpression,
  isCondition,
  isLiteral,
  namedValueOf,
} from "../../language/expression.ts";
import { type Collect, type Evaluate, type RuleCompiler, type VisitValue, valuesOf } from "./rule-compiler.ts";
import {
  type Comparer,
  type Rational,
  type Value,
  add,
  comparer,
  divide,
  multiply,
  nonMissing,
  subtract,
  toRational,
} from "./rule-value.ts";
import { membership } from "./membership.ts";
import { quickPath, singleValue } from "./quick-value.ts";
import { FUNCTION_COMPILERS } from "./rule-functions.ts";
import { walkReferenceRows } from "./reference-rows.ts";
import { shiftDays } from "../../../time/calendar.ts";
import type { RuleContext } from "../rule-context.ts";
import type { Cursor } from "./cursor.ts";
import { type Predicate, type Walk, compileWalk } from "./walk-path.ts";

export function createRuleCompiler(context: RuleContext): RuleCompiler {
  const compiler: RuleCompiler = {
    context,
    ...comparer(context.clock.dayOf),
    evaluate: (expression) => evaluation(expression, compiler),
    single: (expression) => singleValue(expression, compiler),
    collect: (expression) => collection(expression, compiler),
    test: (expression) =>
      isCondition(expression)
        ? condition(expression, compiler)
        : anyValue(expression, compiler, (value) => value !== false),
    walk: (path) => (path.base === "listed" ? walkReferenceRows(path, compiler) : compileWalk(path, compiler.test)),
  };
  return compiler;
}

function evaluation(expression: Expression, compiler: RuleCompiler): Evaluate {
  if (isLiteral(expression)) return constant(literalValue(expression, compiler.context));
  if (isCondition(expression)) return condition(expression, compiler);
  switch (expression.kind) {
    case "setting":
      return constant(compiler.context.settings.get(expression.name));
    case "path":
      return pathEvaluation(expression, compiler);
    case "arithmetic":
      return arithmetic(expression, compiler);
    case "call":
      break;
  }
  return FUNCTION_COMPILERS[expression.name](expression.operands, compiler);
}

function literalValue(literal: Literal, { clock }: RuleContext): Value {
  if (literal.kind === "text") return literal.text;
  if (literal.kind === "boolean") return literal.value;
  if (literal.kind === "number") return toRational(literal.digits);
  return literal.kind === "today" ? clock.today : undefined;
}

function constant(value: Value): Evaluate {
  return () => value;
}

function pathEvaluation(path: PathExpression, compiler: RuleCompiler): Evaluate {
  const quick = quickPath(path, compiler);
  if (quick === undefined) return onlyValue(path, compiler);
  // Compiled on first use, because most payloads have no reported attrs.
  let noting: Evaluate | undefined;
  return (here, scope) => {
    if (scope.reported === undefined) return quick(here, scope);
    noting ??= onlyValue(path, compiler);
    return noting(here, scope);
  };
}

function onlyValue(path: PathExpression, compiler: RuleCompiler): Evaluate {
  const collect = collection(path, compiler);
  return (here, scope) => {
    let value: Value;
    let count = 0;
    collect(here, scope, (each) => {
      value = each;
      count += 1;
    });
    return count === 1 ? value : undefined;
  };
}

function collection(expression: Expression, compiler: RuleCompiler): Collect {
  if (expression.kind === "path") return pathCollection(expression, compiler);
  if (expression.kind === "setting") {
    const setting = compiler.context.settings.get(expression.name);
    if (typeof setting === "object") return (_here, _scope, visit) => setting.forEach((each) => visit(each, undefined));
  }
  const evaluate = evaluation(expression, compiler);
  return (here, scope, visit, missing) => {
    const value = evaluate(here, scope);
    if (value === undefined) missing?.();
    else if (value !== null) visit(value, undefined);
  };
}

function pathCollection(path: PathExpression, compiler: RuleCompiler): Collect {
  const name = namedValueOf(path);
  const walk = compiler.walk(path);
  if (name !== undefined) return namedCollection(path, name, walk, compiler);
  const isListed = path.base === "listed";
  return (here, scope, visit, missing) =>
    walk(
      here,
      scope,
      (cursor, lacks = missing) => {
        const value = nonMissing(cursor.value);
        if (value === undefined) lacks?.();
        else if (value !== null) visit(value, isListed ? undefined : cursor);
      },
      missing,
    );
}

/**
 * Collects the values of a path that ends in a named value. For `above.$name`, collects only from the nearest enclosing
 * object in which the named value is present.
 */
function namedCollection(path: PathExpression, name: string, walk: Walk, compiler: RuleCompiler): Collect {
  const expression = compiler.context.declarations.values.get(name);
  if (expression === undefined) return (_here, _scope, _visit, missing) => missing?.();
  const collect = compiler.collect(expression);
  const isNearest = path.base === "above" && path.steps.length === 1;
  return (here, scope, visit, missing) => {
    let done = false;
    const each = (cursor: Cursor, lacks = missing): void => {
      if (isNearest && done) return;
      const take: VisitValue = (value, of) => {
        done = true;
        visit(value, of ?? cursor);
      };
      collect(cursor, scope, take, isNearest ? undefined : lacks);
    };
    walk(here, scope, each, missing);
    if (isNearest && !done) missing?.();
  };
}

const ARITHMETIC = { "+": add, "-": subtract, "*": multiply, "/": divide };

function arithmetic(expression: Extract<Expression, { kind: "arithmetic" }>, compiler: RuleCompiler): Evaluate {
  const { operator, left, right } = expression;
  if (right.kind === "days") return shifted(left, operator === "-" ? -right.count : right.count, compiler);
  if (left.kind === "days") return shifted(right, left.count, compiler);
  const [one, other] = [compiler.evaluate(left), compiler.evaluate(right)];
  const combine: (a: Rational, b: Rational) => Rational | undefined = ARITHMETIC[operator];
  return (here, scope) => {
    const [a, b] = [toRational(one(here, scope)), toRational(other(here, scope))];
    return a === undefined || b === undefined ? undefined : combine(a, b);
  };
}

function shifted(date: Expression, count: number, compiler: RuleCompiler): Evaluate {
  const evaluate = compiler.evaluate(date);
  return (here, scope) => {
    const value = evaluate(here, scope);
    return typeof value === "string" ? shiftDays(value, count) : undefined;
  };
}

function condition(expression: Condition, compiler: RuleCompiler): Predicate {
  switch (expression.kind) {
    case "comparison":
      return comparison(expression, compiler);
    case "in":
      return membership(expression, compiler);
    case "presence": {
      const isPresent = anyValue(expression.value, compiler, () => true);
      return expression.present ? isPresent : negated(isPresent);
    }
    case "not":
      return negated(compiler.test(expression.operand));
    case "and":
    case "or":
      break;
  }
  const [left, right] = [compiler.test(expression.left), compiler.test(expression.right)];
  return expression.kind === "and"
    ? (here, scope) => left(here, scope) && right(here, scope)
    : (here, scope) => left(here, scope) || right(here, scope);
}

function negated(test: Predicate): Predicate {
  return (here, scope) => !test(here, scope);
}

/** Whether the expression has a value, and at least one value passes the test. */
function anyValue(expression: Expression, compiler: RuleCompiler, fits: (value: Value) => boolean): Predicate {
  const single = compiler.single(expression);
  if (single !== undefined) {
    return (here, scope) => {
      const value = single(here, scope);
      return value !== undefined && fits(value);
    };
  }
  const collect = compiler.collect(expression);
  return (here, scope) => {
    let holds = false;
    collect(here, scope, (value) => {
      holds ||= fits(value);
    });
    return holds;
  };
}

/**
 * Compiles a comparison. The comparison is true if any value on the left matches any value on the right; `!=` is the
 * negation of `=`.
 */
function comparison(expression: Extract<Expression, { kind: "comparison" }>, compiler: RuleCompiler): Predicate {
  const isNegated = expression.operator === "!=";
  const fits = pairTest(expression.operator, compiler);
  const [single, against] = [compiler.single(expression.left), compiler.single(expression.right)];
  if (single !== undefined && against !== undefined) {
    return (here, scope) => {
      const [one, two] = [single(here, scope), against(here, scope)];
      return (one !== undefined && two !== undefined && fits(one, two)) !== isNegated;
    };
  }
  const [left, right] = [compiler.collect(expression.left), compiler.collect(expression.right)];
  return (here, scope) => {
    const others = valuesOf(right, here, scope);
    let holds = false;
    left(here, scope, (value) => {
      holds ||= others.some((other) => fits(value, other));
    });
    return holds !== isNegated;
  };
}

function pairTest(operator: Comparison, { order, equal }: Comparer): (a: Value, b: Value) => boolean {
  if (operator === "=" || operator === "!=") return equal;
  const orderTest = ORDER_TESTS[operator];
  return (a, b) => {
    const sign = order(a, b);
    return sign !== undefined && orderTest(sign);
  };
}

const ORDER_TESTS: Readonly<Record<Exclude<Comparison, "=" | "!=">, (sign: number) => boolean>> = {
  "<": (sign) => sign < 0,
  "<=": (sign) => sign <= 0,
  ">": (sign) => sign > 0,
  ">=": (sign) => sign >= 0,
};
