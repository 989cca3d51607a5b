import type { Expression } from "../grammar/expression.ts";
import type { CheckContext, CheckOf, Judge, Report } from "./checks.ts";
import { valuesOf, type Collect, type Compiler } from "./compiler.ts";
import { compareNumbers, ExactNumber, exactNumber, magnitude, subtract } from "./exact-number.ts";
import { formatTest, type FormatTest } from "./formats.ts";
import { rowIndex, rowKey } from "./listed-rows.ts";
import type { Scope } from "./rule-world.ts";
import type { Spot } from "./spot.ts";
import { keyText, type Value } from "./value.ts";

export function conditionalValueCheck(
  { field, values, negate, default: standard }: CheckOf<"conditional-value">,
  { compiler, skipIfMissing }: CheckContext,
): Judge {
  const collect = compiler.collect(field);
  const wanted = values.map(compiler.evaluate);
  const otherwise = standard && compiler.evaluate(standard);
  return (here, scope, report) => {
    const members = wanted.map((evaluate) => evaluate(here, scope));
    const fits = (value: Value): boolean => members.some((member) => compiler.equal(value, member)) !== negate;
    const takesMissing = values.some(({ kind }) => kind === "missing") !== negate;
    let count = 0;
    collect(here, scope, (value, spot) => {
      count += 1;
      if (!fits(value)) report(spot);
    });
    if (count > 0) return;
    const value = otherwise?.(here, scope);
    if (value === undefined ? !skipIfMissing && !takesMissing : !fits(value)) report(undefined, field);
  };
}

export function inSetCheck(check: CheckOf<"in-set">, context: CheckContext): Judge {
  return eachTuple(check.values, context, setTest(check, context.compiler));
}

/** Every value of the only operand, or the one tuple that several make. */
function eachTuple(operands: readonly Expression[], context: CheckContext, fits: TupleTest): Judge {
  const { compiler, skipIfMissing } = context;
  const [only, second] = operands;
  if (only !== undefined && second === undefined)
    return eachValue(compiler.collect(only), context, (value, here, scope) => fits([value], here, scope));
  const evaluates = operands.map(compiler.evaluate);
  return (here, scope, report) => {
    const tuple = evaluates.map((evaluate) => evaluate(here, scope));
    if (tuple.includes(undefined) && skipIfMissing) return;
    if (!fits(tuple, here, scope)) report();
  };
}

type TupleTest = (tuple: readonly Value[], here: Spot, scope: Scope) => boolean;

function setTest({ set, negate }: CheckOf<"in-set">, compiler: Compiler): TupleTest {
  if ("source" in set) {
    const { columns } = set;
    const rows = compiler.world.references.get(set.source)?.rows ?? [];
    const keys = new Set(rows.map((row) => rowKey(columns.map((column) => row[column]))));
    return (tuple) => keys.has(rowKey(tuple)) !== negate;
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

/** One of the rows that are found has to pass; where there are none, another rule says so. */
export function lookupCheck({ values, source, by, test }: CheckOf<"lookup">, context: CheckContext): Judge {
  const { compiler } = context;
  const find = rowIndex(compiler.world.references.get(source), by);
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

export function formatCheck({ value, format }: CheckOf<"matches-format">, context: CheckContext): Judge {
  const { compiler } = context;
  const fits = testOf(format, compiler);
  const region = "region" in format && format.region ? compiler.evaluate(format.region) : undefined;
  return eachValue(compiler.collect(value), context, (each, here, scope) => fits(each, region?.(here, scope)));
}

function testOf(format: CheckOf<"matches-format">["format"], compiler: Compiler): FormatTest {
  if ("name" in format) return formatTest(format.name, compiler.world.phone);
  return (value) => typeof value !== "string" || format.pattern.test(value);
}

export function withinCheck({ value, min, max }: CheckOf<"within">, context: CheckContext): Judge {
  const { compiler } = context;
  const [least, most] = [bound(min, compiler), bound(max, compiler)];
  return eachValue(compiler.collect(value), context, (each, here, scope) => {
    const [low, high] = [compiler.order(each, least(here, scope)), compiler.order(each, most(here, scope))];
    return !(low !== undefined && low < 0) && !(high !== undefined && high > 0);
  });
}

function bound(expression: Expression | undefined, compiler: Compiler): (here: Spot, scope: Scope) => Value {
  return expression === undefined ? () => undefined : compiler.evaluate(expression);
}

export function equalsAcrossCheck(check: CheckOf<"equals-across">, { compiler }: CheckContext): Judge {
  return "values" in check ? sameValues(check.values, compiler) : samePresence(check, compiler);
}

function sameValues(values: readonly Expression[], compiler: Compiler): Judge {
  const collects = values.map(compiler.collect);
  return (here, scope, report) => {
    let first: Value;
    for (const collect of collects) {
      collect(here, scope, (value, spot) => {
        if (first === undefined) first = value;
        else if (!compiler.equal(value, first)) report(spot);
      });
    }
  };
}

function samePresence(
  { list, presence }: Extract<CheckOf<"equals-across">, { readonly presence: unknown }>,
  compiler: Compiler,
): Judge {
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
): Judge {
  const [left, right] = [compiler.evaluate(sum), compiler.collect(equals)];
  const slack = tolerance && compiler.evaluate(tolerance);
  return (here, scope, report) => {
    let wanted: Value;
    let at: Spot | undefined;
    right(here, scope, (value, spot) => {
      wanted = value;
      at = spot;
    });
    const [total, limit] = [exactNumber(left(here, scope)), exactNumber(wanted)];
    if (total === undefined || limit === undefined) {
      if (!skipIfMissing) report(at);
      return;
    }
    const allowed = exactNumber(slack?.(here, scope)) ?? ZERO;
    const difference = subtract(total, limit);
    const tooFar = compareNumbers(op === "<=" ? difference : magnitude(difference), allowed) > 0;
    if (tooFar) report(at);
  };
}

const ZERO = new ExactNumber(0n, 1n);

export function refersToCheck({ values, targets }: CheckOf<"refers-to">, context: CheckContext): Judge {
  const { compiler } = context;
  const collects = targets.map(compiler.collect);
  const references = values.map(compiler.collect);
  return (here, scope, report) => {
    const known: Value[] = collects.flatMap((collect) => valuesOf(collect, here, scope));
    const keys = new Set(known.map(keyText));
    const fits = (each: Value): boolean =>
      keys.has(keyText(each)) || known.some((other) => compiler.equal(each, other));
    for (const each of references) eachValue(each, context, fits)(here, scope, report);
  };
}

/** Every value of an operand on its own. */
export function eachValue(
  collect: Collect,
  { skipIfMissing }: CheckContext,
  fits: (value: NonNullable<Value>, here: Spot, scope: Scope) => boolean,
): Judge {
  return (here, scope, report: Report) => {
    collect(
      here,
      scope,
      (value, spot) => {
        if (!fits(value, here, scope)) report(spot);
      },
      skipIfMissing ? undefined : () => report(),
    );
  };
}

export function holdsCheck({ test }: CheckOf<"holds">, { compiler }: CheckContext): Judge {
  const holds = compiler.test(test);
  return (here, scope, report) => {
    if (!holds(here, scope)) report();
  };
}
