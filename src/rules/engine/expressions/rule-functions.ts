import type { Expression, FunctionName } from "../../language/expression.ts";
import { isJsonObject } from "../../../json/json-value.ts";
import { instantOf, isIsoDate, isIsoDateTime } from "../../../time/calendar.ts";
import type { RuleCompiler, Evaluate } from "./rule-compiler.ts";
import { add, nonMissing, type Rational, toRational, type Value, ZERO } from "./rule-value.ts";
import { formatTest } from "../value-formats.ts";
import { cellKey } from "./reference-rows.ts";
import type { Scope } from "../rule-context.ts";
import { isSameCursor, type Cursor } from "./cursor.ts";

export const FUNCTION_COMPILERS: Readonly<
  Record<FunctionName, (operands: readonly Expression[], compiler: RuleCompiler) => Evaluate>
> = {
  min: (operands, compiler) => minOrMax(operands, compiler, -1),
  max: (operands, compiler) => minOrMax(operands, compiler, 1),
  sum: sumOf,
  count: (operands, compiler) => {
    const collects = operands.map(compiler.collect);
    return (here, scope) => {
      let count = 0;
      for (const collect of collects) collect(here, scope, () => (count += 1));
      return count;
    };
  },
  first: (operands, compiler) => {
    const collects = operands.map(compiler.collect);
    return (here, scope) => {
      let found: Value;
      for (const collect of collects) if (found === undefined) collect(here, scope, (value) => (found ??= value));
      return found;
    };
  },
  if: ([test, one, other], compiler) => {
    const holds = compiler.test(required(test));
    const [yes, no] = [compiler.evaluate(required(one)), compiler.evaluate(required(other))];
    return (here, scope) => (holds(here, scope) ? yes(here, scope) : no(here, scope));
  },
  join: ([separator, ...parts], compiler) => {
    const between = compiler.evaluate(required(separator));
    const collects = parts.map(compiler.collect);
    return (here, scope) => {
      const texts: string[] = [];
      for (const collect of collects) collect(here, scope, (value) => texts.push(textOf(value)));
      return texts.length === 0 ? undefined : texts.join(textOf(between(here, scope)));
    };
  },
  lower: (operands, compiler) => mapText(operands, compiler, (text) => text.toLowerCase()),
  upper: (operands, compiler) => mapText(operands, compiler, (text) => text.toUpperCase()),
  trim: (operands, compiler) => mapText(operands, compiler, (text) => text.trim()),
  date: (operands, compiler) =>
    mapText(operands, compiler, (text) => {
      if (isIsoDate(text)) return text;
      return isIsoDateTime(text) ? compiler.context.clock.dayOf(instantOf(text)) : undefined;
    }),
  same: ([one, other], compiler) => {
    const [a, b] = [cursorOf(required(one), compiler), cursorOf(required(other), compiler)];
    return (here, scope) => isSameCursor(a(here, scope), b(here, scope));
  },
  agrees: ([one, other], compiler) => {
    const [a, b] = [cursorOf(required(one), compiler), cursorOf(required(other), compiler)];
    return (here, scope) => fieldsAgree(a(here, scope)?.value, b(here, scope)?.value);
  },
  "name-of": ([operand], compiler) => {
    const cursor = cursorOf(required(operand), compiler);
    return (here, scope) => cursor(here, scope)?.key;
  },
  "starts-with": (operands, compiler) => textTest(operands, compiler, (text, part) => text.startsWith(part)),
  "ends-with": (operands, compiler) => textTest(operands, compiler, (text, part) => text.endsWith(part)),
  contains: (operands, compiler) => textTest(operands, compiler, (text, part) => text.includes(part)),
  "is-format": ([value, format, region], compiler) => {
    const collect = compiler.collect(required(value));
    const place = region && compiler.evaluate(region);
    const fits = formatTest(format?.kind === "text" ? format.text : "", compiler.context.phone);
    return (here, scope) => {
      let all = true;
      const where = place?.(here, scope);
      collect(here, scope, (each) => (all &&= fits(each, where)));
      return all;
    };
  },
};

/** Returns an operand that must exist, because the number of operands was already validated. */
function required(operand: Expression | undefined): Expression {
  return operand ?? { kind: "missing" };
}

/** Whether the fields that both objects have are equal; true if either value is not an object. */
function fieldsAgree(one: Value, other: Value): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return true;
  return Object.entries(one).every(([name, value]) => {
    const against = Object.hasOwn(other, name) ? nonMissing(other[name]) : undefined;
    return nonMissing(value) === undefined || against === undefined || cellKey(value) === cellKey(against);
  });
}

function minOrMax(operands: readonly Expression[], compiler: RuleCompiler, sign: 1 | -1): Evaluate {
  const collects = operands.map(compiler.collect);
  return (here, scope) => {
    let best: Value;
    for (const collect of collects) {
      collect(here, scope, (value) => {
        const order = best === undefined ? sign : compiler.order(value, best);
        if (order !== undefined && order * sign > 0) best = value;
      });
    }
    return best;
  };
}

function sumOf(operands: readonly Expression[], compiler: RuleCompiler): Evaluate {
  const collects = operands.map(compiler.collect);
  return (here, scope) => {
    let sum: Rational | undefined = ZERO;
    const take = (value: Value): void => {
      const number = toRational(value);
      sum = sum === undefined || number === undefined ? undefined : add(sum, number);
    };
    for (const collect of collects) collect(here, scope, take, () => (sum = undefined));
    return sum;
  };
}

function textOf(value: Value): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function mapText(
  [operand]: readonly Expression[],
  compiler: RuleCompiler,
  change: (text: string) => string | undefined,
): Evaluate {
  const evaluate = compiler.evaluate(required(operand));
  return (here, scope) => {
    const value = evaluate(here, scope);
    return typeof value === "string" ? change(value) : undefined;
  };
}

function textTest(
  [operand, other]: readonly Expression[],
  compiler: RuleCompiler,
  fits: (text: string, part: string) => boolean,
): Evaluate {
  const collect = compiler.collect(required(operand));
  const part = compiler.evaluate(required(other));
  return (here, scope) => {
    const wanted = textOf(part(here, scope)).toLowerCase();
    let holds = false;
    collect(here, scope, (value) => (holds ||= wanted !== "" && fits(textOf(value).toLowerCase(), wanted)));
    return holds;
  };
}

function cursorOf(operand: Expression, compiler: RuleCompiler): (here: Cursor, scope: Scope) => Cursor | undefined {
  if (operand.kind !== "path") return () => undefined;
  const walk = compiler.walk(operand);
  return (here, scope) => {
    let cursor: Cursor | undefined;
    walk(here, scope, (each) => {
      cursor ??= each;
    });
    return cursor;
  };
}
