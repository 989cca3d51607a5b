import type { Expression, PathExpression } from "../../language/expression.ts";
import type { FieldGroup, Rule, RuleKind } from "../../language/rule.ts";
import type { FieldNode } from "./field-tree.ts";
import { all, any, atLeast, type Possible } from "./possible.ts";
import { type PossibleContext, type PossiblePlace, type PossibleValues, possibleValues } from "./possible-values.ts";

/** Whether a payload with the current fields can break a rule. `holder`: the node of the object with the rule. */
export type CanBreak = (rule: Rule, holder: FieldNode | undefined) => Possible;

export function possibleBreaks(context: PossibleContext): CanBreak {
  const values = possibleValues(context);
  const tests = breakTests(values);
  return (rule, holder) => {
    const canBreakAt = (here: FieldNode | undefined): Possible => {
      const place = { here, self: here, top: holder };
      return all([rule.when === undefined ? true : values.holds(rule.when, place), canBreak(tests, rule, place)]);
    };
    if (rule.each === undefined) return canBreakAt(holder);
    return values.reaches(rule.each, { here: holder, self: holder, top: holder }, canBreakAt);
  };
}

type RuleOf<Kind> = Extract<Rule, { readonly kind: Kind }>;

/** For each kind of rule, whether its check can fail, regardless of `when` and `each`. */
type BreakTests = { readonly [Kind in RuleKind]: (rule: RuleOf<Kind>, place: PossiblePlace) => Possible };

function canBreak<Kind extends RuleKind>(
  tests: BreakTests,
  rule: RuleOf<Kind> & { readonly kind: Kind },
  place: PossiblePlace,
): Possible {
  return tests[rule.kind](rule, place);
}

function breakTests({ exists, holds, fails, reaches }: PossibleValues): BreakTests {
  const anyExists = (expressions: readonly Expression[], place: PossiblePlace): Possible =>
    any(expressions.map((expression) => exists(expression, place)));
  /** A rule that passes if an operand is missing can be broken only if all operands exist. */
  const needed =
    <Checked extends Rule>(operandsOf: (rule: Checked) => readonly Expression[]) =>
    (rule: Checked, place: PossiblePlace): Possible =>
      rule.skipIfMissing ? all(operandsOf(rule).map((operand) => exists(operand, place))) : true;
  const leadsTo = (list: PathExpression, place: PossiblePlace, parts: readonly Expression[] | undefined): Possible =>
    reaches(list, place, (here) => (parts === undefined ? true : anyExists(parts, { ...place, here })));
  const groups = (fields: readonly FieldGroup[], place: PossiblePlace): readonly Possible[] =>
    fields.map((group) => anyExists(group, place));

  return {
    "required-when": () => true,
    "forbidden-when": ({ fields }, place) => any(groups(fields, place)),
    requires: (rule, place) => (rule.if === undefined ? any(groups(rule.needs, place)) : holds(rule.if, place)),
    "requires-one-of"({ min, max, fields }, place) {
      if (min > 0) return true;
      return max === undefined ? false : atLeast(max + 1, groups(fields, place));
    },
    "forbids-together": ({ fields }, place) => atLeast(2, groups(fields, place)),
    "conditional-value": (rule, place) =>
      rule.default === undefined && rule.skipIfMissing ? exists(rule.field, place) : true,
    "in-set": needed(({ values }) => values),
    lookup: needed(({ values }) => values),
    "matches-format": needed(({ value }) => [value]),
    "date-order": needed(({ earlier, later }) => [earlier, later]),
    "not-future": needed(({ value }) => [value]),
    "not-past": needed(({ value }) => [value]),
    within: needed(({ value }) => [value]),
    "unique-by": ({ lists, key }, place) => any(lists.map((list) => leadsTo(list, place, key))),
    "count-limit": ({ list, group, min = 0 }, place) =>
      min > 0 && group === undefined ? true : leadsTo(list, place, undefined),
    "equals-across": (rule, place) =>
      "values" in rule ? anyExists(rule.values, place) : leadsTo(rule.list, place, undefined),
    "sum-equals": needed(({ sum, equals }) => [sum, equals]),
    "refers-to": ({ skipIfMissing, values }, place) => (skipIfMissing ? anyExists(values, place) : true),
    "no-overlap": ({ list, start }, place) => leadsTo(list, place, [start]),
    contiguous: ({ list, start }, place) => leadsTo(list, place, [start]),
    "covered-by": needed(({ value }) => [value]),
    holds: ({ test }, place) => fails(test, place),
  };
}
