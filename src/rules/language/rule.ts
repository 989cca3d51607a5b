import type { AttrPath, AttrSegment } from "../../json/attr.ts";
import type { Severity } from "../../model/problem.ts";
import { type Expression, isExpression, type PathExpression } from "./expression.ts";

/** A rule over several fields, as it was read (`x-rules`; docs/rules.md explains each kind). */
export type Rule = RuleBase & RuleCheck;

interface RuleBase {
  readonly code: string;
  readonly when?: Expression;
  /** The objects below that the rule is checked for, in place of the one that it is attached to. */
  readonly each?: PathExpression;
  /** Where problems are addressed, relative to the value that the rule is attached to; `[]` is the index of the item in question. */
  readonly attr?: readonly AttrSegment[];
  readonly message?: string;
  readonly severity: Severity;
  /** Whether a missing operand passes. */
  readonly skipIfMissing: boolean;
  /** Where it is written in the document. */
  readonly place: AttrPath;
  /** The fields that the rule is about, as written, for messages. */
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
      /** Of a reference list: capitals and small letters are the same. */
      readonly ignoreCase: boolean;
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

/** What rules share, from the root of the document. */
export interface RuleDeclarations {
  /** `x-rule-values`: name -> its expression. */
  readonly values: ReadonlyMap<string, Expression>;
  /** `x-rule-settings`. */
  readonly settings: ReadonlyMap<string, SettingType>;
  /** `x-rule-coverage`: published code -> why no rule covers it. */
  readonly undecided: ReadonlyMap<string, UndecidedReason>;
  /** Codes whose rules cover only some of the published text. */
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

/** An expression of a rule, and the path to the objects at which it is evaluated (from the rule's own object). */
interface Operand {
  readonly expression: Expression;
  readonly at?: PathExpression;
}

/** All expressions of a rule but `each`. Those evaluated for each item of a list name the list as `at`. */
export function operandsOf(rule: Rule): readonly Operand[] {
  const lists = "lists" in rule ? rule.lists : "list" in rule ? [rule.list] : [];
  return Object.entries(rule).flatMap(([name, member]) => {
    const expressions = name === "each" ? [] : expressionsIn(member);
    if (!ITEM_MEMBERS.has(name)) return expressions.map((expression) => ({ expression }));
    return lists.flatMap((at) => expressions.map((expression) => ({ expression, at })));
  });
}

/** Members of a rule that are evaluated for each item of its list. */
const ITEM_MEMBERS: ReadonlySet<string> = new Set(["key", "unless", "group", "presence", "start", "end", "match"]);

/** The expressions in a member of a rule, at any depth. */
function expressionsIn(member: unknown): readonly Expression[] {
  if (typeof member !== "object" || member === null) return [];
  return isExpression(member) ? [member] : Object.values(member).flatMap(expressionsIn);
}
