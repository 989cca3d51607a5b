import type { Expression, FunctionName } from "../grammar/expression.ts";
import { isJsonObject } from "../model/json.ts";
import type { Collect, Compiler, Evaluate } from "./compiler.ts";
import { add, exactNumber, ExactNumber } from "./exact-number.ts";
import { formatTest } from "./formats.ts";
import { cellKey } from "./listed-rows.ts";
import type { Scope } from "./rule-world.ts";
import { isSame, type Spot } from "./spot.ts";
import { given, type Value } from "./value.ts";

type Call = Extract<Expression, { kind: "call" }>;

/** A call of one of the language's functions. */
export function callFunction(call: Call, compiler: Compiler): Evaluate {
  return FUNCTIONS[call.name](call.operands, compiler);
}

const FUNCTIONS: Readonly<Record<FunctionName, (operands: readonly Expression[], compiler: Compiler) => Evaluate>> = {
  min: (operands, compiler) => extreme(operands, compiler, -1),
  max: (operands, compiler) => extreme(operands, compiler, 1),
  sum: total,
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
    return (here, scope) => firstValue(collects, here, scope);
  },
  if: ([test, one, other], compiler) => {
    const [holds, yes, no] = [
      compiler.test(required(test)),
      compiler.evaluate(required(one)),
      compiler.evaluate(required(other)),
    ];
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
  lower: (operands, compiler) => changed(operands, compiler, (text) => text.toLowerCase()),
  upper: (operands, compiler) => changed(operands, compiler, (text) => text.toUpperCase()),
  trim: (operands, compiler) => changed(operands, compiler, (text) => text.trim()),
  date: (operands, compiler) =>
    changed(operands, compiler, (text) => {
      if (text.length === 10) return text;
      const instant = Date.parse(text);
      return Number.isNaN(instant) ? undefined : compiler.world.now.dayOf(instant);
    }),
  same: ([one, other], compiler) => {
    const [a, b] = [spotOf(required(one), compiler), spotOf(required(other), compiler)];
    return (here, scope) => isSame(a(here, scope), b(here, scope));
  },
  agrees: ([one, other], compiler) => {
    const [a, b] = [spotOf(required(one), compiler), spotOf(required(other), compiler)];
    return (here, scope) => agree(a(here, scope)?.value, b(here, scope)?.value);
  },
  "name-of": ([operand], compiler) => {
    const spot = spotOf(required(operand), compiler);
    return (here, scope) => spot(here, scope)?.key;
  },
  "starts-with": (operands, compiler) => textTest(operands, compiler, (text, part) => text.startsWith(part)),
  "ends-with": (operands, compiler) => textTest(operands, compiler, (text, part) => text.endsWith(part)),
  contains: (operands, compiler) => textTest(operands, compiler, (text, part) => text.includes(part)),
  "is-format": ([value, format, region], compiler) => {
    const collect = compiler.collect(required(value));
    const place = region && compiler.evaluate(region);
    const fits = formatTest(format?.kind === "text" ? format.text : "", compiler.world.phone);
    return (here, scope) => {
      let all = true;
      const where = place?.(here, scope);
      collect(here, scope, (each) => (all &&= fits(each, where)));
      return all;
    };
  },
};

/** Calls have as many operands as their function takes: the contract was checked. */
function required(operand: Expression | undefined): Expression {
  return operand ?? { kind: "missing" };
}

/** Whether no field that both have differs; what is no object says nothing. */
function agree(one: Value, other: Value): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return true;
  return Object.entries(one).every(([name, value]) => {
    const against = Object.hasOwn(other, name) ? given(other[name]) : undefined;
    return given(value) === undefined || against === undefined || cellKey(value) === cellKey(against);
  });
}

function extreme(operands: readonly Expression[], compiler: Compiler, sign: 1 | -1): Evaluate {
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

function total(operands: readonly Expression[], compiler: Compiler): Evaluate {
  const collects = operands.map(compiler.collect);
  return (here, scope) => {
    let sum: ExactNumber | undefined = ZERO;
    const take = (value: Value): void => {
      const number = exactNumber(value);
      sum = sum === undefined || number === undefined ? undefined : add(sum, number);
    };
    for (const collect of collects) collect(here, scope, take, () => (sum = undefined));
    return sum;
  };
}

const ZERO = new ExactNumber(0n, 1n);

function firstValue(collects: readonly Collect[], here: Spot, scope: Scope): Value {
  for (const collect of collects) {
    let found: Value;
    collect(here, scope, (value) => (found ??= value));
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(value: Value): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function changed(
  [operand]: readonly Expression[],
  compiler: Compiler,
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
  compiler: Compiler,
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

function spotOf(operand: Expression, compiler: Compiler): (here: Spot, scope: Scope) => Spot | undefined {
  if (operand.kind !== "path") return () => undefined;
  const walk = compiler.walk(operand);
  return (here, scope) => {
    let spot: Spot | undefined;
    walk(here, scope, (each) => {
      spot ??= each;
    });
    return spot;
  };
}
