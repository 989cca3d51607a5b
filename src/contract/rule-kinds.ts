import { z } from "zod";
import { present } from "./present.ts";
import type { Expression, PathExpression } from "./rule-expression.ts";
import type { RuleCheck, RuleKind } from "./rule.ts";
import { days, expression, fields, literal, oneOrMore, path, wholePattern } from "./rule-parts.ts";
import { FORMAT_NAMES, missingRegion } from "./rule-formats.ts";
import { suggest } from "./suggest.ts";

/** The members of each kind, and what they mean. Unknown members are refused by whoever reads them. */
export const KIND_READERS: { readonly [Kind in RuleKind]: KindReader } = {
  "required-when": reader({ fields, "one-of": flag() }, (rule) => ({
    check: { kind: "required-when", fields: rule.fields, oneOf: rule["one-of"] },
    about: rule.fields.flat(),
  })),
  "forbidden-when": reader({ fields }, (rule) => ({
    check: { kind: "forbidden-when", fields: rule.fields },
    about: rule.fields.flat(),
  })),
  requires: reader(
    {
      if: expression.optional(),
      needs: fields.optional(),
      "all-or-none": fields.optional(),
      "one-of": flag(),
    },
    (rule) => {
      const all = rule["all-or-none"];
      if ((all === undefined) === (rule.if === undefined || rule.needs === undefined)) {
        return 'needs "if" and "needs", or "all-or-none"';
      }
      const needs = all ?? rule.needs ?? [];
      return {
        check: { kind: "requires", needs, oneOf: rule["one-of"], ...present({ if: rule.if }) },
        about: needs.flat(),
      };
    },
  ),
  "requires-one-of": reader({ fields, min: count().default(1), max: count().optional() }, (rule) => ({
    check: { kind: "requires-one-of", fields: rule.fields, min: rule.min, ...present({ max: rule.max }) },
    about: rule.fields.flat(),
  })),
  "forbids-together": reader({ fields }, (rule) =>
    rule.fields.length < 2
      ? "needs two fields or more"
      : { check: { kind: "forbids-together", fields: rule.fields }, about: rule.fields.flat() },
  ),
  "conditional-value": reader(
    {
      field: path,
      is: oneOrMore(literal).optional(),
      "is-not": oneOrMore(literal).optional(),
      default: literal.optional(),
    },
    (rule) => {
      const values = rule.is ?? rule["is-not"];
      if (values === undefined || (rule.is !== undefined && rule["is-not"] !== undefined)) {
        return 'needs "is" or "is-not"';
      }
      const { field, default: standard } = rule;
      const negate = rule.is === undefined;
      return {
        check: { kind: "conditional-value", field, values, negate, ...present({ default: standard }) },
        about: [field],
      };
    },
  ),
  "in-set": reader(
    {
      value: oneOrMore(expression),
      set: z.union([z.string(), z.array(oneOrMore(literal))], "must be a list of values, or config.x").optional(),
      source: z.string().min(1).optional(),
      columns: oneOrMore(z.string().min(1)).optional(),
      negate: flag(),
    },
    (rule) => {
      const { value: values, negate } = rule;
      const set = setOf(rule, values.length);
      if (typeof set === "string") return set;
      return { check: { kind: "in-set", values, set, negate }, about: values };
    },
  ),
  lookup: reader(
    { value: oneOrMore(expression), source: name(), by: oneOrMore(name()), test: expression },
    ({ value: values, source, by, test }) =>
      by.length === values.length
        ? { check: { kind: "lookup", values, source, by, test }, about: values }
        : `needs as many columns in "by" as values (${values.length})`,
  ),
  "matches-format": reader(
    {
      value: expression,
      format: z.string().optional(),
      region: regionExpression().optional(),
      pattern: wholePattern.optional(),
    },
    ({ value, format, region, pattern }) => {
      if ((format === undefined) === (pattern === undefined)) return 'needs "format" or "pattern"';
      if (pattern !== undefined)
        return { check: { kind: "matches-format", value, format: { pattern } }, about: [value] };
      const wrong =
        format === undefined ? undefined : (unknownFormat(format) ?? (region ? undefined : missingRegion(format)));
      if (wrong !== undefined || format === undefined) return wrong ?? "";
      return {
        check: { kind: "matches-format", value, format: { name: format, ...present({ region }) } },
        about: [value],
      };
    },
  ),
  "date-order": reader({ earlier: expression, later: expression, strict: flag() }, ({ earlier, later, strict }) => ({
    check: { kind: "date-order", earlier, later, strict },
    about: [earlier, later],
  })),
  "not-future": reader({ value: expression, limit: days.default(0) }, ({ value, limit }) => ({
    check: { kind: "not-future", value, limitDays: limit },
    about: [value],
  })),
  "not-past": reader({ value: expression, limit: days.default(0) }, ({ value, limit }) => ({
    check: { kind: "not-past", value, limitDays: limit },
    about: [value],
  })),
  within: reader({ value: expression, min: expression.optional(), max: expression.optional() }, ({ value, min, max }) =>
    min === undefined && max === undefined
      ? 'needs "min" or "max"'
      : { check: { kind: "within", value, ...present({ min, max }) }, about: [value] },
  ),
  "unique-by": reader(
    {
      list: oneOrMore(path),
      key: oneOrMore(keyExpression()),
      allow: count().default(1),
      unless: expression.optional(),
    },
    ({ list: lists, key, allow, unless }) => {
      const keys = key.filter((part) => part !== "*");
      if (keys.length > 0 && keys.length < key.length) return 'the key "*" stands alone';
      const parts = keys.length === 0 ? undefined : keys;
      return {
        check: { kind: "unique-by", lists, allow, ...present({ key: parts, unless }) },
        about: parts ?? lists,
      };
    },
  ),
  "count-limit": reader(
    { list: path, group: oneOrMore(expression).optional(), min: count().optional(), max: count().optional() },
    ({ list, group, min, max }) =>
      min === undefined && max === undefined
        ? 'needs "min" or "max"'
        : { check: { kind: "count-limit", list, ...present({ group, min, max }) }, about: [list] },
  ),
  "equals-across": reader(
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
  "sum-equals": reader(
    {
      sum: expression,
      equals: expression,
      op: z.enum(["=", "<="], 'must be "=" or "<="').default("="),
      tolerance: expression.optional(),
    },
    ({ sum, equals, op, tolerance }) => ({
      check: { kind: "sum-equals", sum, equals, op, ...present({ tolerance }) },
      about: [equals],
    }),
  ),
  "refers-to": reader(
    { value: oneOrMore(expression), in: oneOrMore(expression) },
    ({ value: values, in: targets }) => ({ check: { kind: "refers-to", values, targets }, about: values }),
  ),
  "no-overlap": reader(
    { ...periodMembers(), "end-inclusive": flag(), group: oneOrMore(expression).optional() },
    ({ list, start, end, "end-inclusive": endInclusive, group }) => ({
      check: { kind: "no-overlap", list, start, end, endInclusive, ...present({ group }) },
      about: [list],
    }),
  ),
  contiguous: reader(
    {
      ...periodMembers(),
      step: oneOrMore(z.int().min(0).max(366)).default([0]),
      group: oneOrMore(expression).optional(),
      last: z.literal("open", 'must be "open", or left out').optional(),
      from: expression.optional(),
      overlaps: flag(),
    },
    ({ list, start, end, step: steps, group, last, from, overlaps }) => ({
      check: {
        kind: "contiguous",
        list,
        start,
        end,
        endInclusive: false,
        steps,
        lastOpen: last === "open",
        overlaps,
        ...present({ group, from }),
      },
      about: [list],
    }),
  ),
  "covered-by": reader(
    {
      ...periodMembers(),
      "end-inclusive": z.boolean("must be true or false").default(true),
      value: expression,
      to: expression.optional(),
      match: expression.optional(),
    },
    ({ list, start, end, "end-inclusive": endInclusive, value, to, match }) => ({
      check: { kind: "covered-by", list, start, end, endInclusive, value, ...present({ to, match }) },
      about: [value],
    }),
  ),
  holds: reader({ test: expression, about: oneOrMore(path).optional() }, ({ test, about }) => ({
    check: { kind: "holds", test },
    about: about ?? [],
  })),
};

/** Understands the members of one kind. A text in place of the check says what is wrong with them together. */
export interface KindReader {
  readonly members: z.ZodRawShape;
  readonly read: (members: unknown) => Understood | z.ZodError | string;
}

interface Understood {
  readonly check: RuleCheck;
  readonly about: readonly Expression[];
}

function reader<Shape extends z.ZodRawShape>(
  members: Shape,
  understand: (rule: z.output<z.ZodObject<Shape>>) => Understood | string,
): KindReader {
  const schema = z.object(members);
  return {
    members,
    read: (written) => {
      const parsed = schema.safeParse(written);
      return parsed.success ? understand(parsed.data) : parsed.error;
    },
  };
}

function flag(): z.ZodDefault<z.ZodBoolean> {
  return z.boolean("must be true or false").default(false);
}

function count(): z.ZodInt {
  return z.int("must be a whole number").min(0, "must not be negative");
}

function name(): z.ZodString {
  return z.string("must be a name").min(1, "must be a name");
}

function periodMembers(): { list: typeof path; start: typeof expression; end: typeof expression } {
  return { list: path, start: expression, end: expression };
}

function keyExpression(): z.ZodType<Expression | "*"> {
  return z.union([z.literal("*"), expression]);
}

/** `GB`, or `config.region`. */
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
  if ((set === undefined) === (source === undefined)) return 'needs "set" or "source"';
  if (source !== undefined) {
    return columns?.length === size ? { source, columns } : `needs as many "columns" as values (${size})`;
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
  const near = suggest(format, FORMAT_NAMES);
  return `the format "${format}" is not known${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

/** The expression as the words of a problem show it. */
export function wordsOf(about: readonly Expression[]): readonly string[] {
  return [...new Set(about.filter((one): one is PathExpression => one.kind === "path").map(({ text }) => text))];
}
