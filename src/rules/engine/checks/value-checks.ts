import type { Expression } from "../../language/expression.ts";
import {
  type CheckContext,
  type CheckOf,
  type Collect,
  type CompiledCheck,
  type ReportBroken,
  type RuleCompiler,
  valuesOf,
  type VisitValue,
} from "../expressions/rule-compiler.ts";
import {
  absolute,
  compareRationals,
  keyText,
  subtract,
  toRational,
  type Value,
  ZERO,
} from "../expressions/rule-value.ts";
import { formatTest, type FormatTest } from "../value-formats.ts";
import { rowIndex, rowKey } from "../expressions/reference-rows.ts";
import type { Scope } from "../rule-context.ts";
import type { Cursor } from "../expressions/cursor.ts";

export function conditionalValueCheck(
  { field, values, negate, default: defaultValue }: CheckOf<"conditional-value">,
  { compiler, skipIfMissing }: CheckContext,
): CompiledCheck {
  const collect = compiler.collect(field);
  const wanted = values.map(compiler.evaluate);
  const otherwise = defaultValue && compiler.evaluate(defaultValue);
  const single = compiler.single(field);
  const check: CompiledCheck = (here, scope, report) => {
    const members = wanted.map((evaluate) => evaluate(here, scope));
    const fits = (value: Value): boolean => members.some((member) => compiler.equal(value, member)) !== negate;
    const takesMissing = values.some(({ kind }) => kind === "missing") !== negate;
    let isEmpty = true;
    const testMissing = (item?: Cursor): void => {
      isEmpty = false;
      const value = otherwise?.(here, scope);
      if (value === undefined ? skipIfMissing || takesMissing : fits(value)) return;
      if (item === undefined) report(undefined, field);
      else report(item);
    };
    const testValue: VisitValue = (value, cursor) => {
      isEmpty = false;
      if (!fits(value)) report(cursor);
    };
    collect(here, scope, testValue, testMissing);
    if (isEmpty) testMissing();
  };
  if (single === undefined) return check;
  return (here, scope, report) => {
    if (scope.reported === undefined) {
      const value = single(here, scope) ?? otherwise?.(here, scope);
      if (value === undefined && skipIfMissing) return;
      if (value !== undefined && wanted.some((member) => compiler.equal(value, member(here, scope))) !== negate) return;
    }
    check(here, scope, report);
  };
}

export function inSetCheck(check: CheckOf<"in-set">, context: CheckContext): CompiledCheck {
  return eachTuple(check.values, context, setTest(check, context.compiler));
}

/** Tests every value of a single operand. If there are several operands, tests them as one tuple. */
function eachTuple(operands: readonly Expression[], context: CheckContext, fits: TupleTest): CompiledCheck {
  const { compiler, skipIfMissing } = context;
  const [only, second] = operands;
  if (only !== undefined && second === undefined)
    return eachValue(only, context, (value, here, scope) => fits([value], here, scope));
  const evaluates = operands.map(compiler.evaluate);
  return (here, scope, report) => {
    const tuple = evaluates.map((evaluate) => evaluate(here, scope));
    const isRefused = tuple.includes(undefined) ? !skipIfMissing : !fits(tuple, here, scope);
    if (isRefused) report();
  };
}

type TupleTest = (tuple: readonly Value[], here: Cursor, scope: Scope) => boolean;

function setTest({ set, negate, ignoreCase }: CheckOf<"in-set">, compiler: RuleCompiler): TupleTest {
  if ("source" in set) {
    const { columns } = set;
    const rows = compiler.context.references.get(set.source)?.rows ?? [];
    const keyOf = (cells: readonly Value[]): string => (ignoreCase ? rowKey(cells).toLowerCase() : rowKey(cells));
    const keys = new Set(rows.map((row) => keyOf(columns.map((column) => row[column]))));
    return (tuple) => keys.has(keyOf(tuple)) !== negate;
  }
  const literals = set.literals.map((tuple) => tuple.map(compiler.collect));
  return (tuple, here, scope) => {
    const isMember = literals.some((members) =>
      members.every((member, index) =>
        valuesOf(member, here, scope).some((value) => compiler.equal(tuple[index], value)),
      ),
    );
    return isMember !== negate;
  };
}

/**
 * Passes if at least one matching row passes the test. Also passes if no row matches, because another rule reports a
 * missing row.
 */
export function lookupCheck({ values, source, by, test }: CheckOf<"lookup">, context: CheckContext): CompiledCheck {
  const { compiler } = context;
  const find = rowIndex(compiler.context.references.get(source), by);
  const holds = compiler.test(test);
  return eachTuple(values, context, (tuple, here, scope) => {
    const rows = find(tuple);
    const fits = rows.some((row) => {
      scope.found = row;
      return holds(here, scope);
    });
    scope.found = undefined;
    return fits || rows.length === 0;
  });
}

export function formatCheck({ value, format }: CheckOf<"matches-format">, context: CheckContext): CompiledCheck {
  const { compiler } = context;
  const fits: FormatTest =
    "name" in format
      ? formatTest(format.name, compiler.context.phone)
      : (each) => typeof each !== "string" || format.pattern.test(each);
  const region = "region" in format && format.region ? compiler.evaluate(format.region) : undefined;
  return eachValue(value, context, (each, here, scope) => fits(each, region?.(here, scope)));
}

export function withinCheck({ value, min, max }: CheckOf<"within">, context: CheckContext): CompiledCheck {
  const { compiler } = context;
  const [lowest, highest] = [min && compiler.evaluate(min), max && compiler.evaluate(max)];
  return eachValue(value, context, (each, here, scope) => {
    const [low, high] = [compiler.order(each, lowest?.(here, scope)), compiler.order(each, highest?.(here, scope))];
    return !(low !== undefined && low < 0) && !(high !== undefined && high > 0);
  });
}

export function equalsAcrossCheck(check: CheckOf<"equals-across">, { compiler }: CheckContext): CompiledCheck {
  return "values" in check ? sameValues(check.values, compiler) : samePresence(check, compiler);
}

function sameValues(values: readonly Expression[], compiler: RuleCompiler): CompiledCheck {
  const collects = values.map(compiler.collect);
  return (here, scope, report) => {
    let first: Value;
    for (const collect of collects) {
      collect(here, scope, (value, cursor) => {
        if (first === undefined) first = value;
        else if (!compiler.equal(value, first)) report(cursor);
      });
    }
  };
}

function samePresence(
  { list, presence }: Extract<CheckOf<"equals-across">, { readonly presence: unknown }>,
  compiler: RuleCompiler,
): CompiledCheck {
  const walk = compiler.walk(list);
  const tests = presence.map((value) => compiler.test({ kind: "presence", present: true, value }));
  return (here, scope, report) => {
    let first: string | undefined;
    walk(here, scope, (item) => {
      const pattern = tests.map((test) => test(item, scope)).join();
      first ??= pattern;
      if (pattern !== first) report(item);
    });
  };
}

export function sumCheck(
  { sum, equals, op, tolerance }: CheckOf<"sum-equals">,
  { compiler, skipIfMissing }: CheckContext,
): CompiledCheck {
  const [left, right] = [compiler.evaluate(sum), compiler.collect(equals)];
  const slack = tolerance && compiler.evaluate(tolerance);
  return (here, scope, report) => {
    let wanted: Value;
    let at: Cursor | undefined;
    right(here, scope, (value, cursor) => {
      wanted = value;
      at = cursor;
    });
    const [total, limit] = [toRational(left(here, scope)), toRational(wanted)];
    if (total === undefined || limit === undefined) {
      if (!skipIfMissing) report(at);
      return;
    }
    const allowed = toRational(slack?.(here, scope)) ?? ZERO;
    const difference = subtract(total, limit);
    const tooFar = compareRationals(op === "<=" ? difference : absolute(difference), allowed) > 0;
    if (tooFar) report(at);
  };
}

export function refersToCheck({ values, targets }: CheckOf<"refers-to">, context: CheckContext): CompiledCheck {
  const { compiler } = context;
  const collects = targets.map(compiler.collect);
  const references = values.map(compiler.collect);
  return (here, scope, report) => {
    const known: Value[] = collects.flatMap((collect) => valuesOf(collect, here, scope));
    const keys = new Set(known.map(keyText));
    const fits = (each: Value): boolean =>
      keys.has(keyText(each)) || known.some((other) => compiler.equal(each, other));
    for (const each of references) eachCollected(each, context, fits)(here, scope, report);
  };
}

/**
 * Tests every value of an operand separately. A single value is first tested without cursors, because most values pass.
 */
export function eachValue(operand: Expression, context: CheckContext, fits: ValueTest): CompiledCheck {
  const check = eachCollected(context.compiler.collect(operand), context, fits);
  const single = context.compiler.single(operand);
  if (single === undefined) return check;
  return (here, scope, report) => {
    if (scope.reported === undefined) {
      const value = single(here, scope);
      if (value === undefined ? context.skipIfMissing : value !== null && fits(value, here, scope)) return;
    }
    check(here, scope, report);
  };
}

type ValueTest = (value: NonNullable<Value>, here: Cursor, scope: Scope) => boolean;

export function eachCollected(collect: Collect, { skipIfMissing }: CheckContext, fits: ValueTest): CompiledCheck {
  return (here, scope, report: ReportBroken) => {
    collect(
      here,
      scope,
      (value, cursor) => {
        if (!fits(value, here, scope)) report(cursor);
      },
      skipIfMissing ? undefined : (item) => report(item),
    );
  };
}

export function holdsCheck({ test }: CheckOf<"holds">, { compiler }: CheckContext): CompiledCheck {
  const holds = compiler.test(test);
  return (here, scope, report) => {
    if (!holds(here, scope)) report();
  };
}
