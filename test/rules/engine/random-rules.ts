import type { FieldType, ObjectType, Property } from "../../../src/contract/types/field-type.ts";
import type { Expression } from "../../../src/rules/language/expression.ts";
import type { FieldGroup, Periods, Rule, RuleCheck, RuleKind } from "../../../src/rules/language/rule.ts";
import { chance, expression, FORMATS, listOf, literal, type Making, NAMES, path } from "./random-expressions.ts";
import type { Choices } from "./random-payloads.ts";

const BASE = { nullable: false, deprecated: false, validators: [] } as const;

export const RANDOM_SETTINGS = { on: true, off: false, list: ["A", "B"], region: "GB" } as const;
export const RANDOM_LIST = { columns: ["a", "b"], rows: [{ a: "A", b: "B" }, { a: "00001" }, { a: "B", b: "2" }] };
const RANDOM_VALUES = ["first", "second", "third"] as const;

function groups(making: Making): readonly FieldGroup[] {
  return listOf(making, 1, 3, () => listOf(making, 1, 2, () => path(making)));
}

function periods(making: Making): Periods {
  return {
    list: path(making),
    start: path(making, 3),
    end: path(making, 3),
    endInclusive: chance(making, 2),
    ...(chance(making, 2) && { group: [expression(making, 3)] }),
  };
}

type Makers = { readonly [Kind in RuleKind]: (making: Making) => Extract<RuleCheck, { readonly kind: Kind }> };

const CHECKS: Makers = {
  "required-when": (m) => ({ kind: "required-when", fields: groups(m), oneOf: chance(m, 2) }),
  "forbidden-when": (m) => ({ kind: "forbidden-when", fields: groups(m) }),
  requires: (m) => ({
    kind: "requires",
    needs: groups(m),
    oneOf: chance(m, 2),
    ...(chance(m, 2) && { if: expression(m) }),
  }),
  "requires-one-of": (m) => ({
    kind: "requires-one-of",
    fields: groups(m),
    min: m.choices.number(3),
    ...(chance(m, 2) && { max: m.choices.number(3) }),
  }),
  "forbids-together": (m) => ({ kind: "forbids-together", fields: groups(m) }),
  "conditional-value": (m) => ({
    kind: "conditional-value",
    field: path(m),
    values: listOf(m, 1, 2, () => expression(m, 3)),
    negate: chance(m, 2),
    ...(chance(m, 2) && { default: expression(m, 3) }),
  }),
  "in-set": (m) => {
    const values = listOf(m, 1, 2, () => expression(m));
    const tuple = (): readonly Expression[] => values.map(() => expression(m, 3));
    const set = chance(m, 2) ? { literals: listOf(m, 1, 2, tuple) } : { source: "list", columns: ["a", "b"] };
    return { kind: "in-set", values, set, negate: chance(m, 2), ignoreCase: chance(m, 2) };
  },
  lookup: (m) => ({ kind: "lookup", values: [expression(m)], source: "list", by: ["a"], test: expression(m) }),
  "matches-format": (m) => ({
    kind: "matches-format",
    value: expression(m),
    format: chance(m, 2) ? { pattern: /^A/ } : { name: m.choices.pick(FORMATS), region: literal(m) },
  }),
  "date-order": (m) => ({
    kind: "date-order",
    earlier: expression(m),
    later: expression(m),
    strict: chance(m, 2),
  }),
  "not-future": (m) => ({ kind: "not-future", value: expression(m), limitDays: m.choices.number(3) }),
  "not-past": (m) => ({ kind: "not-past", value: expression(m), limitDays: m.choices.number(3) }),
  within: (m) => ({
    kind: "within",
    value: expression(m),
    ...(chance(m, 2) && { min: expression(m) }),
    ...(chance(m, 2) && { max: expression(m) }),
  }),
  "unique-by": (m) => ({
    kind: "unique-by",
    lists: listOf(m, 1, 2, () => path(m)),
    allow: m.choices.number(2),
    ...(!chance(m, 3) && { key: listOf(m, 1, 2, () => expression(m, 2)) }),
    ...(chance(m, 3) && { unless: expression(m) }),
  }),
  "count-limit": (m) => ({
    kind: "count-limit",
    list: path(m),
    ...(chance(m, 2) && { group: [expression(m, 3)] }),
    ...(chance(m, 2) && { min: m.choices.number(3) }),
    ...(chance(m, 2) && { max: m.choices.number(3) }),
  }),
  "equals-across": (m) =>
    chance(m, 2)
      ? { kind: "equals-across", values: listOf(m, 1, 3, () => expression(m)) }
      : { kind: "equals-across", list: path(m), presence: listOf(m, 1, 2, () => path(m)) },
  "sum-equals": (m) => ({
    kind: "sum-equals",
    sum: expression(m),
    equals: expression(m),
    op: m.choices.pick(["=", "<="]),
    ...(chance(m, 2) && { tolerance: expression(m, 3) }),
  }),
  "refers-to": (m) => ({
    kind: "refers-to",
    values: listOf(m, 1, 2, () => expression(m)),
    targets: listOf(m, 1, 2, () => expression(m)),
  }),
  "no-overlap": (m) => ({ kind: "no-overlap", ...periods(m) }),
  contiguous: (m) => ({
    kind: "contiguous",
    ...periods(m),
    steps: [0, 1],
    lastIsOpen: chance(m, 2),
    overlaps: chance(m, 2),
    ...(chance(m, 2) && { from: expression(m, 3) }),
  }),
  "covered-by": (m) => {
    const { group: _group, ...list } = periods(m);
    return { kind: "covered-by", value: expression(m), ...list, ...(chance(m, 2) && { match: expression(m, 3) }) };
  },
  holds: (m) => ({ kind: "holds", test: expression(m) }),
};

const [FIRST_KIND = CHECKS.holds, ...OTHER_KINDS] = Object.values(CHECKS);

function rule(making: Making, code: string): Rule {
  const make: (making: Making) => RuleCheck = making.choices.pick([FIRST_KIND, ...OTHER_KINDS]);
  return {
    code,
    severity: "error",
    skipIfMissing: !chance(making, 4),
    place: [],
    about: [],
    ...make(making),
    ...(chance(making, 3) && { when: expression(making) }),
    ...(chance(making, 3) && { each: path(making) }),
  };
}

/** Returns named values, each of which uses only later named values. */
export function randomValues(choices: Choices): ReadonlyMap<string, Expression> {
  return new Map(
    RANDOM_VALUES.map((name, index) => [name, expression({ choices, named: RANDOM_VALUES.slice(index + 1) })]),
  );
}

/** Returns an object type with rules on most of its objects and lists. The type may contain itself. */
export function randomBody(choices: Choices): ObjectType {
  const making: Making = { choices, named: RANDOM_VALUES };
  let rules = 0;
  const someRules = (): { rules?: readonly Rule[] } =>
    chance(making, 3) ? {} : { rules: listOf(making, 1, 4, () => rule(making, `rule_${(rules += 1)}`)) };
  const objects: ObjectType[] = [];
  const type = (depth: number): FieldType => {
    const [known] = objects;
    if (known !== undefined && chance(making, 15)) return known;
    const isDeep = depth > 2;
    switch (choices.number(isDeep ? 4 : 9)) {
      case 0:
        return { ...BASE, kind: "date", ...someRules() };
      case 1:
        return { ...BASE, kind: "boolean" };
      case 2:
        return { ...BASE, kind: "number" };
      case 3:
        return { ...BASE, kind: "text", allowBlank: true, documentPath: false };
      case 4:
      case 5:
        return { ...BASE, kind: "list", uniqueItems: false, items: type(depth + 1), ...someRules() };
      case 6:
        return { ...BASE, kind: "union", options: [object(depth + 1), type(depth + 1)], ...someRules() };
      default:
        return object(depth + 1);
    }
  };
  const object = (depth: number): ObjectType => {
    const properties = new Map<string, Property>();
    const additional = chance(making, 4) && depth > 0 ? type(3) : "closed";
    const made: ObjectType = { ...BASE, kind: "object", properties, additional, ...someRules() };
    objects.push(made);
    for (const name of NAMES)
      if (!chance(making, 5)) properties.set(name, { name, type: type(depth), required: false, readOnly: false });
    return made;
  };
  return object(0);
}
