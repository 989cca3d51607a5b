import type { AttrPath, AttrSegment } from "../../json/attr.ts";
import type { Severity } from "../../model/problem.ts";
import { type Expression, expressionsIn, type PathExpression } from "./expression.ts";

/** A parsed rule over several fields (`x-rules`; docs/rules.md explains each kind). */
export type Rule = RuleBase & RuleCheck;

interface RuleBase {
  readonly code: string;
  readonly when?: Expression;
  /** The nested objects for which the rule is checked, instead of the object to which it is attached. */
  readonly each?: PathExpression;
  /**
   * The attr of the rule's problems, relative to the value to which the rule is attached; `[]` is the index of the item
   * with the problem.
   */
  readonly attr?: readonly AttrSegment[];
  readonly message?: string;
  readonly severity: Severity;
  /** Whether the rule passes if an operand is missing. */
  readonly skipIfMissing: boolean;
  /** The location of the rule in the document. */
  readonly place: AttrPath;
  /** The fields that the rule concerns, as written, for messages. */
  readonly about: readonly string[];
}

/** Fields that count as one field, which is present if any of them is present. */
export type FieldGroup = readonly PathExpression[];

interface UngroupedPeriods {
  readonly list: PathExpression;
  readonly start: Expression;
  readonly end: Expression;
  readonly endInclusive: boolean;
}

export interface Periods extends UngroupedPeriods {
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
      /** Whether comparisons with a reference list ignore case. */
      readonly ignoreCase: boolean;
    }
  | {
      readonly kind: "lookup";
      /** One value for each column in `by`. */
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
      /** Undefined if the whole item is the key. */
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
      /** The allowed numbers of days from the end of a period to the start of the next. */
      readonly steps: readonly number[];
      readonly lastIsOpen: boolean;
      /** Whether periods may overlap, so that only gaps are violations. */
      readonly overlaps: boolean;
      readonly from?: Expression;
    } & Periods)
  | ({
      readonly kind: "covered-by";
      readonly value: Expression;
      readonly to?: Expression;
      readonly match?: Expression;
    } & UngroupedPeriods)
  | {
      readonly kind: "holds";
      readonly test: Expression;
      /** The fields in `about`. They have no effect on the check. */
      readonly named?: readonly PathExpression[];
    };

export type RuleKind = RuleCheck["kind"];

type SetOfValues =
  /** Values, or tuples of the same length as the rule's values. */
  | { readonly literals: readonly (readonly Expression[])[] }
  | { readonly source: string; readonly columns: readonly string[] };

/** `x-rule-coverage`: the statements of the contract about published codes. */
export interface StatedCoverage {
  /** The reason why no rule covers a published code, by code. */
  readonly undecided: ReadonlyMap<string, UndecidedReason>;
  /** Codes whose rules cover only part of the published text. */
  readonly partial: ReadonlySet<string>;
}

/** The declarations that all rules share, from the root of the document. */
export interface RuleDeclarations extends StatedCoverage {
  /** `x-rule-values`: expressions by name. */
  readonly values: ReadonlyMap<string, Expression>;
  /** `x-rule-settings`: setting types by name. */
  readonly settings: ReadonlyMap<string, SettingType>;
}

export interface SettingType {
  readonly type: "boolean" | "number" | "text" | "list";
  readonly description?: string;
  readonly default?: SettingValue;
}

export type SettingValue = boolean | number | string | readonly string[];

export const UNDECIDED_REASONS = ["reference", "platform", "unclear", "not-in-schema"] as const;
export type UndecidedReason = (typeof UNDECIDED_REASONS)[number];

/** An expression of a rule. `at`: the path to the items at which it is evaluated; absent for the rule's own object. */
interface Operand {
  /** The member of the rule that contains the expression. */
  readonly member: string;
  readonly expression: Expression;
  readonly at?: PathExpression;
}

/**
 * Returns all expressions of a rule except `each`. For expressions that are evaluated for each item of a list, `at` is
 * the list.
 */
export function operandsOf(rule: Rule): readonly Operand[] {
  const lists = "lists" in rule ? rule.lists : "list" in rule ? [rule.list] : [];
  return Object.entries(rule).flatMap(([name, member]) => {
    const expressions = name === "each" ? [] : expressionsIn(member);
    if (!ITEM_MEMBERS.has(name)) return expressions.map((expression) => ({ member: name, expression }));
    return lists.flatMap((at) => expressions.map((expression) => ({ member: name, expression, at })));
  });
}

/** Members of a rule that are evaluated for each item of its list. */
const ITEM_MEMBERS: ReadonlySet<string> = new Set(["key", "unless", "group", "presence", "start", "end", "match"]);
