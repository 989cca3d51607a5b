import type { ErrorObject, FuncKeywordDefinition, ValidateFunction } from "ajv";

/** The result of the `compile` function of a keyword. */
export type DataValidateFunction = ReturnType<NonNullable<FuncKeywordDefinition["compile"]>>;

export interface UnionKeywordOptions {
  /** Returns the compiled form of a definition of the schema. */
  readonly definition: (name: string) => ValidateFunction;
  readonly explain: (errors: readonly ErrorObject[]) => readonly object[];
}

/**
 * The result of a choice between schemas: an error of the choice itself, the findings of the chosen schema (empty if
 * the value is valid), or undefined for a permitted null.
 */
type UnionResult =
  | { readonly code: string; readonly at?: string }
  | { readonly findings: readonly object[] }
  | undefined;

interface TaggedRule {
  /** The property that selects the schema. */
  readonly tag: string;
  /** Definitions by the tag value, as text. */
  readonly schemas: Readonly<Record<string, string>>;
  /** The candidates if there is no tag. Empty if the tag is required. */
  readonly untagged: BestOfRule["candidates"];
  readonly nullable: boolean;
}

interface BestOfRule {
  readonly candidates: readonly { readonly schema: string; readonly json: "object" | "list" | "scalar" | "any" }[];
  readonly nullable: boolean;
}

/**
 * The keywords that choose between schemas. `tagged`: a discriminator selects the schema. `bestOf`: the first valid
 * schema, or else the one with the fewest errors.
 */
export function unionKeywords({ definition, explain }: UnionKeywordOptions): readonly FuncKeywordDefinition[] {
  const judge = (name: string, data: unknown, context: ValidationContext): readonly object[] => {
    const validate = definition(name);
    return validate(data, context) ? [] : explain(validate.errors ?? []);
  };

  return [
    {
      keyword: "tagged",
      errors: true,
      compile: (rule: TaggedRule) =>
        resultCheck("tagged", (data, context) => tagged(rule, data, (name) => judge(name, data, context))),
    },
    {
      keyword: "bestOf",
      errors: true,
      compile: (rule: BestOfRule) =>
        resultCheck("bestOf", (data, context) => bestOf(rule, data, (name) => judge(name, data, context))),
    },
  ];
}

type FindingsOfSchema = (definition: string) => readonly object[];

function tagged(
  { tag, schemas, untagged, nullable }: TaggedRule,
  data: unknown,
  attempt: FindingsOfSchema,
): UnionResult {
  if (data === null) return nullable ? undefined : { code: "null" };
  if (!isRecord(data)) return { code: "invalid", at: "non_field_errors" };
  const value = Object.hasOwn(data, tag) ? data[tag] : undefined;
  const name = tagText(value);
  const chosen = name !== undefined && Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (chosen !== undefined) return { findings: attempt(chosen) };
  if (value === undefined && untagged.length > 0) return bestOf({ candidates: untagged, nullable }, data, attempt);
  if (value === undefined) return { code: "required", at: tag };
  return { code: value === null ? "null" : "invalid_choice", at: tag };
}

/** The text of a tag. A mapping may have a key for null, and a missing tag also counts as null. */
function tagText(value: unknown): string | undefined {
  if (value === undefined || value === null) return "null";
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

function bestOf({ candidates, nullable }: BestOfRule, data: unknown, attempt: FindingsOfSchema): UnionResult {
  if (data === null) return nullable ? undefined : { code: "null" };
  const sameKind = candidates.filter(({ json }) => json === "any" || json === jsonKind(data));
  const findings = (sameKind.length > 0 ? sameKind : candidates).map(({ schema }) => attempt(schema));
  return { findings: findings.toSorted((one, other) => one.length - other.length)[0] ?? [] };
}

type ValidationContext = Parameters<ValidateFunction>[1];

function resultCheck(
  keyword: string,
  decide: (data: unknown, context: ValidationContext) => UnionResult,
): DataValidateFunction {
  const validate: DataValidateFunction = (data: unknown, context) => {
    const result = decide(data, context);
    if (result === undefined || ("findings" in result && result.findings.length === 0)) return true;
    validate.errors = [{ keyword, params: result }];
    return false;
  };
  return validate;
}

function jsonKind(data: unknown): "object" | "list" | "scalar" {
  if (Array.isArray(data)) return "list";
  return isRecord(data) ? "object" : "scalar";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
