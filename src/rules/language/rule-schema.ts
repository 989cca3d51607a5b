import { z } from "zod";
import { type AttrSegment, parseAttr } from "../../json/attr.ts";
import { regularExpression } from "../../text/linear-pattern.ts";
import { slowPatternReason } from "../../text/slow-pattern.ts";
import type { Expression, PathExpression } from "./expression.ts";
import { parseExpression } from "./parse-expression.ts";
import type { FieldGroup, RuleCheck, RuleKind } from "./rule.ts";
import { ExpressionSyntaxError } from "./token-reader.ts";

/**
 * Reads the members of one kind of rule. `read` returns a ZodError for an invalid member, and an error message for an
 * invalid combination of members.
 */
export interface KindReader {
  readonly members: z.ZodRawShape;
  readonly read: (members: unknown) => ParsedKind | z.ZodError | string;
}

export type KindReaders<Kinds extends RuleKind> = { readonly [Kind in Kinds]: KindReader };

interface ParsedKind {
  readonly check: RuleCheck;
  /** The fields that the rule concerns, and other words for messages. */
  readonly about: readonly (Expression | string)[];
}

export function kindReader<Shape extends z.ZodRawShape>(
  members: Shape,
  parse: (rule: z.output<z.ZodObject<Shape>>) => ParsedKind | string,
): KindReader {
  const schema = z.object(members);
  return {
    members,
    read: (written) => {
      const parsed = schema.safeParse(written);
      return parsed.success ? parse(parsed.data) : parsed.error;
    },
  };
}

export function flag(): z.ZodDefault<z.ZodBoolean> {
  return z.boolean("must be true or false").default(false);
}

export function count(): z.ZodInt {
  return z.int("must be a whole number").min(0, "must not be negative");
}

const scalar = z.union([z.string(), z.number(), z.boolean()], "must be an expression");

/** An expression in YAML: text, or a number or boolean as a literal. */
export const expression: z.ZodType<Expression> = scalar.transform(parseWritten);

/** A part of a key: `*` for the whole item, or an expression. */
export const keyPart: z.ZodType<Expression | "*"> = scalar.transform((text, context) =>
  text === "*" ? text : parseWritten(text, context),
);

function parseWritten(text: string | number | boolean, context: z.RefinementCtx): Expression {
  try {
    return parseExpression(String(text));
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    const place = error.offset === 0 ? "" : ` (character ${error.offset + 1})`;
    return refuse(context, `${JSON.stringify(text)} is not a valid expression: ${error.message}${place}`);
  }
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

/** An expression that is only a path. */
export const path: z.ZodType<PathExpression> = expression.transform((parsed, context): PathExpression => {
  if (parsed.kind === "path") return parsed;
  return refuse(context, "must be the path of a field, such as day_of_month or meters[].serial");
});

/** A literal value, not an expression: text is used unchanged. */
export const literal: z.ZodType<Expression> = z
  .union([z.string(), z.number(), z.boolean(), z.null()], "must be a string, a number, true, false or null")
  .transform((value): Expression => {
    if (value === null) return { kind: "missing" };
    if (typeof value === "boolean") return { kind: "boolean", value };
    if (typeof value === "string") return { kind: "text", text: value };
    return { kind: "number", digits: String(value) };
  })
  .refine((value) => !(value.kind === "text" && /^config\.\w+$/.test(value.text)), {
    error: "must be a value; only the whole `set` of in-set can be config.x",
  });

/** Accepts one value or a non-empty list of values. The result is always a list. */
export function oneOrMore<Value>(schema: z.ZodType<Value>): z.ZodType<readonly Value[]> {
  return z.preprocess((written) => (Array.isArray(written) ? written : [written]), z.array(schema).min(1));
}

const group: z.ZodType<FieldGroup> = oneOrMore(path);

/** A list of fields; a nested list counts as one field. */
export const fields: z.ZodType<readonly FieldGroup[]> = z
  .array(group, "must be a list of fields")
  .min(1, "must name a field");

/** The segments of `customers[].family_name`, with `[]` as a separate segment. */
export const attrTemplate: z.ZodType<readonly AttrSegment[]> = z
  .string("must be an attr such as day_of_month or customers[].family_name")
  .regex(/^[\w-]+(?:\[\])*(?:\.[\w-]+(?:\[\])*)*$/, "must be an attr such as day_of_month or customers[].family_name")
  .transform((text) => parseAttr(text.replaceAll("[]", ".[]")));

/** Returns the value of a number in a rule, or undefined for any other expression. */
export function numberIn(written: Expression | undefined): number | undefined {
  if (written?.kind === "number") return Number(written.digits);
  if (written?.kind !== "arithmetic" || written.operator !== "-") return undefined;
  const [left, right] = [numberIn(written.left), numberIn(written.right)];
  return left === undefined || right === undefined ? undefined : left - right;
}

/** A number of days, such as `4 days`. */
export const days: z.ZodType<number> = expression.transform((parsed, context) => {
  if (parsed.kind === "days") return parsed.count;
  return refuse(context, "must be a number of days, such as 4 days");
});

/** A regular expression that must match the whole value. */
export const wholePattern: z.ZodType<RegExp> = z.string().transform((source, context) => {
  const pattern = regularExpression(`^(?:${source})$`, "u");
  const why = pattern === undefined ? "it is not a regular expression" : slowPatternReason(source);
  if (pattern !== undefined && why === undefined) return pattern;
  return refuse(context, `${JSON.stringify(source)} is not allowed: ${why}`);
});
