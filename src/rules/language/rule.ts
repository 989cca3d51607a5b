import type { AttrPath, AttrSegment } from "../../json/attr.ts";
import type { Severity } from "../../model/problem.ts";
import type { Expression, PathExpression } from "./expression.ts";

/** A rule over several fields, understood (`x-rules`; docs/rules.md has the meaning of each kind). */
export type Rule = RuleBase & RuleCheck;

interface RuleBase {
  readonly code: string;
  readonly when?: Expression;
  /** The objects below that the rule is judged for, in place of the one it stands on. */
  readonly each?: PathExpression;
  /** Where problems are addressed, from the value that the rule stands on; `[]` is an index of the item in question. */
  readonly attr?: readonly AttrSegment[];
  readonly message?: string;
  readonly severity: Severity;
  /** Whether a missing operand passes. */
  readonly skipIfMissing: boolean;
  /** Where it is written in the document. */
  readonly place: AttrPath;
  /** What the rule says of which fields, as written, for words. */
  readonly about: readonly string[];
}

/** Fields that count as one: present when any of them is. */
export type FieldGroup = readonly PathExpression[];

export interface Periods {
  readonly list: PathExpression;
  readonly start: Expression;
  readonly end: Expression;
  readonly endInclusive: boolean;
  readonly group?: readonly Expression[];
}

export type RuleCheck =
  | { readonly kind: "required-when"; readonly fields: readonly FieldGroup[]; readonly oneOf: boolean }
  | { readonly kind: "forbidden-when"; readonly fields: readonly FieldGroup[] }
  | {
      readonly kind: "requires";
      readonly if?: Expression;
      readonly needs: readonly FieldGroup[];
      readonly oneOf: boolean;
    }
  | {
      readonly kind: "requires-one-of";
      readonly fields: readonly FieldGroup[];
      readonly min: number;
      readonly max?: number;
    }
  | { readonly kind: "forbids-together"; readonly fields: readonly FieldGroup[] }
  | {
      readonly kind: "conditional-value";
      readonly field: PathExpression;
      readonly values: readonly Expression[];
      readonly negate: boolean;
      readonly default?: Expression;
    }
  | {
      readonly kind: "in-set";
      readonly values: readonly Expression[];
      readonly set: SetOfValues;
      readonly negate: boolean;
    }
  | {
      readonly kind: "lookup";
      /** As many as `by` has columns. */
      readonly values: readonly Expression[];
      readonly source: string;
      readonly by: readonly string[];
      readonly test: Expression;
    }
  | {
      readonly kind: "matches-format";
      readonly value: Expression;
      readonly format: { readonly name: string; readonly region?: Expression } | { readonly pattern: RegExp };
    }
  | { readonly kind: "date-order"; readonly earlier: Expression; readonly later: Expression; readonly strict: boolean }
  | { readonly kind: "not-future"; readonly value: Expression; readonly limitDays: number }
  | { readonly kind: "not-past"; readonly value: Expression; readonly limitDays: number }
  | { readonly kind: "within"; readonly value: Expression; readonly min?: Expression; readonly max?: Expression }
  | {
      readonly kind: "unique-by";
      readonly lists: readonly PathExpression[];
      /** Undefined: the whole item. */
      readonly key?: readonly Expression[];
      readonly allow: number;
      readonly unless?: Expression;
    }
  | {
      readonly kind: "count-limit";
      readonly list: PathExpression;
      readonly group?: readonly Expression[];
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: "equals-across"; readonly values: readonly Expression[] }
  | { readonly kind: "equals-across"; readonly list: PathExpression; readonly presence: readonly PathExpression[] }
  | {
      readonly kind: "sum-equals";
      readonly sum: Expression;
      readonly equals: Expression;
      readonly op: "=" | "<=";
      readonly tolerance?: Expression;
    }
  | { readonly kind: "refers-to"; readonly values: readonly Expression[]; readonly targets: readonly Expression[] }
  | ({ readonly kind: "no-overlap" } & Periods)
  | ({
      readonly kind: "contiguous";
      /** Days between the end of a period and the start of the next; any of them will do. */
      readonly steps: readonly number[];
      readonly lastOpen: boolean;
      /** Whether periods may overlap, so that only gaps count. */
      readonly overlaps: boolean;
      readonly from?: Expression;
    } & Periods)
  | ({
      readonly kind: "covered-by";
      readonly value: Expression;
      readonly to?: Expression;
      readonly match?: Expression;
    } & Omit<Periods, "group">)
  | { readonly kind: "holds"; readonly test: Expression };

export type RuleKind = RuleCheck["kind"];

type SetOfValues =
  /** Values, or tuples of as many values as the rule has. */
  | { readonly literals: readonly (readonly Expression[])[] }
  | { readonly source: string; readonly columns: readonly string[] };

/** What rules share: written at the root of the document. */
export interface RuleDeclarations {
  /** `x-rule-values`: name -> what it stands for. */
  readonly values: ReadonlyMap<string, Expression>;
  /** `x-rule-settings`. */
  readonly settings: ReadonlyMap<string, SettingType>;
  /** `x-rule-coverage`: published code -> why no rule decides it. */
  readonly undecided: ReadonlyMap<string, UndecidedReason>;
  /** Codes whose rules find only some of what the published text means. */
  readonly partial: ReadonlySet<string>;
}

export interface SettingType {
  readonly type: "boolean" | "number" | "text" | "list";
  readonly description?: string;
  readonly default?: SettingValue;
}

export type SettingValue = boolean | number | string | readonly string[];

export const UNDECIDED_REASONS = ["reference", "platform", "unclear", "not-in-schema"] as const;
export type UndecidedReason = (typeof UNDECIDED_REASONS)[number];

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
