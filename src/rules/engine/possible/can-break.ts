import type { Expression, PathExpression } from "../../language/expression.ts";
import type { FieldGroup, Rule } from "../../language/rule.ts";
import type { FieldNode } from "./field-tree.ts";
import { all, any, atLeast, type Possible } from "./possible.ts";
import { type PossibleContext, type PossiblePlace, possibleValues } from "./possible-values.ts";

/** Whether a payload with the current fields can break a rule. `holder`: the place of the object with the rule. */
export type CanBreak = (rule: Rule, holder: FieldNode | undefined) => Possible;

export function possibleBreaks(context: PossibleContext): CanBreak {
  const { exists, holds, fails, reaches } = possibleValues(context);

  const existsAny = (expressions: readonly Expression[], place: PossiblePlace): Possible =>
    any(expressions.map((expression) => exists(expression, place)));
  const existAll = (expressions: readonly Expression[], place: PossiblePlace): Possible =>
    all(expressions.map((expression) => exists(expression, place)));
  const leadsTo = (list: PathExpression, place: PossiblePlace, parts: readonly Expression[] | undefined): Possible =>
    reaches(list, place, (here) => (parts === undefined ? true : existsAny(parts, { ...place, here })));
  const groups = (fields: readonly FieldGroup[], place: PossiblePlace): readonly Possible[] =>
    fields.map((group) => existsAny(group, place));

  /** The condition of the kind, without `when` and `each`. Cases that are not listed can always be broken. */
  function kindCanBreak(rule: Rule, place: PossiblePlace): Possible {
    switch (rule.kind) {
      case "forbidden-when":
        return any(groups(rule.fields, place));
      case "requires":
        return rule.if === undefined ? any(groups(rule.needs, place)) : holds(rule.if, place);
      case "requires-one-of":
        if (rule.min > 0) return true;
        return rule.max === undefined ? false : atLeast(rule.max + 1, groups(rule.fields, place));
      case "forbids-together":
        return atLeast(2, groups(rule.fields, place));
      case "conditional-value":
        return rule.default === undefined && rule.skipIfMissing ? exists(rule.field, place) : true;
      case "unique-by":
        return any(rule.lists.map((list) => leadsTo(list, place, rule.key)));
      case "count-limit":
        return rule.min !== undefined && rule.min > 0 && rule.group === undefined
          ? true
          : reaches(rule.list, place, () => true);
      case "equals-across":
        return "values" in rule ? existsAny(rule.values, place) : leadsTo(rule.list, place, undefined);
      case "no-overlap":
      case "contiguous":
        return leadsTo(rule.list, place, [rule.start]);
      case "holds":
        return fails(rule.test, place);
      default:
        return rule.skipIfMissing ? operandsExist(rule, place) : true;
    }
  }

  /** Whether the operands of a rule that passes without them can exist. */
  function operandsExist(rule: Rule, place: PossiblePlace): Possible {
    switch (rule.kind) {
      case "in-set":
      case "lookup":
        return existAll(rule.values, place);
      case "matches-format":
      case "not-future":
      case "not-past":
      case "within":
      case "covered-by":
        return exists(rule.value, place);
      case "date-order":
        return existAll([rule.earlier, rule.later], place);
      case "sum-equals":
        return existAll([rule.sum, rule.equals], place);
      case "refers-to":
        return existsAny(rule.values, place);
      default:
        return true;
    }
  }

  return (rule, holder) => {
    const canBreakAt = (here: FieldNode | undefined): Possible => {
      const place = { here, self: here, top: holder };
      return all([rule.when === undefined ? true : holds(rule.when, place), kindCanBreak(rule, place)]);
    };
    if (rule.each === undefined) return canBreakAt(holder);
    return reaches(rule.each, { here: holder, self: holder, top: holder }, canBreakAt);
  };
}
