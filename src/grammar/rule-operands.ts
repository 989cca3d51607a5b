import type { Expression, PathExpression } from "./expression.ts";
import type { FieldGroup, Periods, Rule, RuleCheck, RuleKind } from "./rule.ts";

/** An expression of a rule, and the path to the objects at which it is worked out (from the rule's own object). */
interface Operand {
  readonly expression: Expression;
  readonly at?: PathExpression;
}

/** All expressions of a rule but `each`; those of a list's items are marked with the list. */
export function operandsOf(rule: Rule): readonly Operand[] {
  return [...plain([rule.when]), ...checkOperands(rule)];
}

type Operands = { readonly [Kind in RuleKind]: (check: CheckOf<Kind>) => readonly Operand[] };
type CheckOf<Kind extends RuleKind> = Extract<RuleCheck, { readonly kind: Kind }>;

const OPERANDS: Operands = {
  "required-when": ({ fields }) => groups(fields),
  "forbidden-when": ({ fields }) => groups(fields),
  requires: (check) => [...plain([check.if]), ...groups(check.needs)],
  "requires-one-of": ({ fields }) => groups(fields),
  "forbids-together": ({ fields }) => groups(fields),
  "conditional-value": ({ field }) => plain([field]),
  "in-set": ({ values, set }) => plain([...values, ...("literals" in set ? set.literals.flat() : [])]),
  lookup: ({ values, test }) => plain([...values, test]),
  "matches-format": ({ value, format }) => plain([value, "region" in format ? format.region : undefined]),
  "date-order": ({ earlier, later }) => plain([earlier, later]),
  "not-future": ({ value }) => plain([value]),
  "not-past": ({ value }) => plain([value]),
  within: ({ value, min, max }) => plain([value, min, max]),
  "unique-by": ({ lists, key = [], unless }) =>
    lists.flatMap((list) => [...plain([list]), ...within(list, [...key, unless])]),
  "count-limit": ({ list, group = [] }) => [...plain([list]), ...within(list, group)],
  "equals-across": (check) =>
    "values" in check ? plain(check.values) : [...plain([check.list]), ...within(check.list, check.presence)],
  "sum-equals": ({ sum, equals, tolerance }) => plain([sum, equals, tolerance]),
  "refers-to": ({ values, targets }) => plain([...values, ...targets]),
  "no-overlap": periodOperands,
  contiguous: (check) => [...periodOperands(check), ...plain([check.from])],
  "covered-by": (check) => [
    ...periodOperands(check),
    ...plain([check.value, check.to]),
    ...within(check.list, [check.match]),
  ],
  holds: ({ test }) => plain([test]),
};

function checkOperands<Kind extends RuleKind>(check: CheckOf<Kind>): readonly Operand[] {
  return OPERANDS[check.kind](check);
}

function periodOperands({ list, start, end, group = [] }: Periods): readonly Operand[] {
  return [...plain([list]), ...within(list, [start, end, ...group])];
}

function plain(expressions: readonly (Expression | undefined)[]): readonly Operand[] {
  return expressions.flatMap((expression) => (expression === undefined ? [] : [{ expression }]));
}

function within(at: PathExpression, expressions: readonly (Expression | undefined)[]): readonly Operand[] {
  return plain(expressions).map((operand) => ({ ...operand, at }));
}

function groups(fields: readonly FieldGroup[]): readonly Operand[] {
  return plain(fields.flat());
}
