import fc from "fast-check";
import { expect, it } from "vitest";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../../src/json/json-value.ts";
import { createRuleCompiler } from "../../../../src/rules/engine/expressions/compile-expression.ts";
import { type Cursor, pathOf } from "../../../../src/rules/engine/expressions/cursor.ts";
import { Rational as ProgramRational } from "../../../../src/rules/engine/expressions/rule-value.ts";
import { ruleClock, type RuleContext, type Scope } from "../../../../src/rules/engine/rule-context.ts";
import type { Expression } from "../../../../src/rules/language/expression.ts";
import { createRuleCompiler as createReference } from "../../reference/expressions/compile-expression.ts";
import { Rational as ReferenceRational } from "../../reference/expressions/rule-value.ts";
import { expression as randomExpression } from "../random-expressions.ts";
import { attrsIn, type Choices, choicesFrom, valueMaker } from "../random-payloads.ts";
import { RANDOM_LIST, RANDOM_SETTINGS, randomBody, randomValues } from "../random-rules.ts";

type Program = ReturnType<typeof createRuleCompiler>;
type Reference = ReturnType<typeof createReference>;

/** Returns a rational number of either implementation as text. Returns other values unchanged. */
function readable(value: unknown): unknown {
  return value instanceof ProgramRational || value instanceof ReferenceRational
    ? `${value.numerator}/${value.denominator}`
    : value;
}

/**
 * Compiles an expression to a function that returns all its results: each value with its path, the missing values, and
 * whether a problem was read.
 */
function resultsOf(compiler: Program | Reference, expression: Expression): (here: Cursor, scope: Scope) => object {
  const collect = compiler.collect(expression);
  const evaluate = compiler.evaluate(expression);
  const test = compiler.test(expression);
  return (here, scope) => {
    const values: unknown[] = [];
    let missing = 0;
    scope.readsReported = false;
    collect(
      here,
      scope,
      (value, cursor) => values.push([readable(value), cursor && pathOf(cursor)]),
      () => (missing += 1),
    );
    const { readsReported } = scope;
    return { values, missing, readsReported, value: readable(evaluate(here, scope)), holds: test(here, scope) };
  };
}

/** Returns the cursors of all values in a payload. */
function cursorsIn(cursor: Cursor): readonly [Cursor, ...Cursor[]] {
  const { value } = cursor;
  const members: readonly (readonly [string | number, JsonValue])[] = isJsonArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(isJsonObject(value) ? value : {});
  return [cursor, ...members.flatMap(([key, member]) => cursorsIn({ value: member, parent: cursor, key }))];
}

function contextFrom(choices: Choices): RuleContext {
  return {
    declarations: { values: randomValues(choices), settings: new Map(), undecided: new Map(), partial: new Set() },
    settings: new Map(Object.entries(RANDOM_SETTINGS)),
    references: new Map([["list", RANDOM_LIST]]),
    clock: ruleClock(Date.parse("2024-06-15T12:00:00Z"), "Europe/London", undefined),
  };
}

/** Returns a scope whose cursors are values of the payload. One in three scopes has attrs with problems. */
function scopeFrom(choices: Choices, cursors: readonly [Cursor, ...Cursor[]]): Scope {
  const [row] = RANDOM_LIST.rows;
  const attrs = choices.number(3) === 0 ? attrsIn(cursors[0].value).filter(() => choices.number(3) === 0) : [];
  return {
    self: choices.pick(cursors),
    top: choices.pick(cursors),
    other: choices.pick(cursors),
    found: choices.number(2) === 0 || row === undefined ? undefined : { value: row },
    reported: attrs.length === 0 ? undefined : new Set(attrs),
    readsReported: false,
  };
}

it("a random expression has the same values as in the reference evaluator, with and without cursors", () => {
  let singles = 0;
  let present = 0;
  const compare = (choices: Choices): void => {
    const context = contextFrom(choices);
    const [program, reference] = [createRuleCompiler(context), createReference(context)];
    const body = randomBody(choices);
    const cursors = cursorsIn({ value: valueMaker([])(body, choices) });
    for (let round = 0; round < 20; round += 1) {
      const expression = randomExpression({ choices, named: ["first", "second", "third", "undefined_value"] });
      const [results, expected] = [resultsOf(program, expression), resultsOf(reference, expression)];
      const single = program.single(expression);
      const collect = reference.collect(expression);
      for (let place = 0; place < 3; place += 1) {
        const here = choices.pick(cursors);
        const scope = scopeFrom(choices, cursors);
        expect(results(here, scope)).toEqual(expected(here, scope));
        if (single === undefined || scope.reported !== undefined) continue;
        const values: unknown[] = [];
        collect(here, scope, (each) => values.push(readable(each)));
        const value = readable(single(here, scope));
        expect(values).toEqual(value === undefined ? [] : [value]);
        singles += 1;
        present += values.length;
      }
    }
  };
  fc.assert(
    fc.property(fc.integer(), (seed) => compare(choicesFrom(seed))),
    { numRuns: 100 },
  );
  expect(singles).toBeGreaterThan(500);
  expect(present).toBeGreaterThan(150);
});
