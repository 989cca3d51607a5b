import { z } from "zod";
import { definedMembers } from "../../json/defined-members.ts";
import { didYouMean } from "../../text/suggestion.ts";
import type { Expression } from "./expression.ts";
import { FORMAT_NAMES, missingRegion } from "./format-names.ts";
import {
  expression,
  flag,
  kindReader,
  type KindReaders,
  literal,
  numberIn,
  oneOrMore,
  path,
  wholePattern,
} from "./rule-schema.ts";
import type { RuleCheck } from "./rule.ts";

/** Rules about the values of fields, including comparisons with other values. */
export const VALUE_KINDS: KindReaders<
  | "conditional-value"
  | "in-set"
  | "lookup"
  | "matches-format"
  | "within"
  | "equals-across"
  | "sum-equals"
  | "refers-to"
  | "holds"
> = {
  "conditional-value": kindReader(
    {
      field: path,
      is: oneOrMore(literal).optional(),
      "is-not": oneOrMore(literal).optional(),
      default: literal.optional(),
    },
    (rule) => {
      const values = rule.is ?? rule["is-not"];
      if (values === undefined || (rule.is !== undefined && rule["is-not"] !== undefined)) {
        return 'needs either "is" or "is-not"';
      }
      const { field, default: defaultValue } = rule;
      const negate = rule.is === undefined;
      return {
        check: { kind: "conditional-value", field, values, negate, ...definedMembers({ default: defaultValue }) },
        about: [field],
      };
    },
  ),
  "in-set": kindReader(
    {
      value: oneOrMore(expression),
      set: z.union([z.string(), z.array(oneOrMore(literal))], "must be a list of values, or config.x").optional(),
      source: z.string().min(1).optional(),
      columns: oneOrMore(z.string().min(1)).optional(),
      negate: flag(),
      "ignore-case": flag(),
    },
    (rule) => {
      const { value: values, negate, "ignore-case": ignoreCase } = rule;
      const set = setOf(rule, values.length);
      if (typeof set === "string") return set;
      if (ignoreCase && !("source" in set)) return '"ignore-case" requires a "source"; use lower(...) with a "set"';
      return { check: { kind: "in-set", values, set, negate, ignoreCase }, about: values };
    },
  ),
  lookup: kindReader(
    { value: oneOrMore(expression), source: name(), by: oneOrMore(name()), test: expression },
    ({ value: values, source, by, test }) =>
      by.length === values.length
        ? { check: { kind: "lookup", values, source, by, test }, about: values }
        : `"by" must have one column for each value (${values.length})`,
  ),
  "matches-format": kindReader(
    {
      value: expression,
      format: z.string().optional(),
      region: regionExpression().optional(),
      pattern: wholePattern.optional(),
    },
    ({ value, format, region, pattern }) => {
      if ((format === undefined) === (pattern === undefined)) return 'needs either "format" or "pattern"';
      if (pattern !== undefined)
        return { check: { kind: "matches-format", value, format: { pattern } }, about: [value] };
      const wrong =
        format === undefined ? undefined : (unknownFormat(format) ?? (region ? undefined : missingRegion(format)));
      if (wrong !== undefined || format === undefined) return wrong ?? "";
      return {
        check: { kind: "matches-format", value, format: { name: format, ...definedMembers({ region }) } },
        about: aboutFormat(value, format),
      };
    },
  ),
  within: kindReader(
    { value: expression, min: expression.optional(), max: expression.optional() },
    ({ value, min, max }) => {
      if (min === undefined && max === undefined) return 'needs "min" or "max"';
      if ((numberIn(min) ?? -Infinity) > (numberIn(max) ?? Infinity)) return '"min" must not be greater than "max"';
      return { check: { kind: "within", value, ...definedMembers({ min, max }) }, about: [value] };
    },
  ),
  "equals-across": kindReader(
    { values: oneOrMore(expression).optional(), list: path.optional(), presence: oneOrMore(path).optional() },
    ({ values, list, presence }) => {
      if (values !== undefined && list === undefined && presence === undefined) {
        return { check: { kind: "equals-across", values }, about: values };
      }
      if (values !== undefined || list === undefined || presence === undefined) {
        return 'needs "values", or "list" and "presence"';
      }
      return { check: { kind: "equals-across", list, presence }, about: presence };
    },
  ),
  "sum-equals": kindReader(
    {
      sum: expression,
      equals: expression,
      op: z.enum(["=", "<="], 'must be "=" or "<="').default("="),
      tolerance: expression.optional(),
    },
    ({ sum, equals, op, tolerance }) =>
      (numberIn(tolerance) ?? 0) < 0
        ? '"tolerance" must not be negative'
        : { check: { kind: "sum-equals", sum, equals, op, ...definedMembers({ tolerance }) }, about: [equals] },
  ),
  "refers-to": kindReader(
    { value: oneOrMore(expression), in: oneOrMore(expression) },
    ({ value: values, in: targets }) => ({ check: { kind: "refers-to", values, targets }, about: values }),
  ),
  holds: kindReader({ test: expression, about: oneOrMore(path).optional() }, ({ test, about }) => ({
    check: { kind: "holds", test, ...definedMembers({ named: about }) },
    about: about ?? [],
  })),
};

/** A rule about the value itself (`.`) names its format, because it has no field to name. */
function aboutFormat(value: Expression, format: string): readonly (Expression | string)[] {
  return [value.kind === "path" && value.text === "." ? format : value];
}

function name(): z.ZodString {
  return z.string("must be a name").min(1, "must be a name");
}

/** Accepts a region: `GB`, or an expression such as `config.region`. */
function regionExpression(): z.ZodType<Expression> {
  return z.preprocess(
    (written) => (typeof written === "string" && /^[A-Z]{2}$/.test(written) ? `"${written}"` : written),
    expression,
  );
}

interface SetMembers {
  readonly set?: string | readonly (readonly Expression[])[] | undefined;
  readonly source?: string | undefined;
  readonly columns?: readonly string[] | undefined;
}

function setOf(
  { set, source, columns }: SetMembers,
  size: number,
): Extract<RuleCheck, { kind: "in-set" }>["set"] | string {
  if ((set === undefined) === (source === undefined)) return 'needs either "set" or "source"';
  if (source !== undefined) {
    return columns?.length === size ? { source, columns } : `"columns" must have one column for each value (${size})`;
  }
  if (typeof set === "string") {
    const [, setting] = /^config\.(\w+)$/.exec(set) ?? [];
    if (setting === undefined || size > 1) return '"set" must be a list of values, or config.x for one value';
    return { literals: [[{ kind: "setting", name: setting }]] };
  }
  const wrong = set?.some((tuple) => tuple.length !== size);
  return wrong === true ? `each entry of "set" must have as many values as "value" (${size})` : { literals: set ?? [] };
}

function unknownFormat(format: string): string | undefined {
  if (FORMAT_NAMES.some((known) => known === format)) return undefined;
  return `unknown format "${format}"${didYouMean(format, FORMAT_NAMES)}`;
}
