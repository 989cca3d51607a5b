import type { FieldType } from "../../contract/types/field-type.ts";
import { type JsonObject, valueAt } from "../../json/json-value.ts";
import type { Problem } from "../../model/problem.ts";
import { compileRules, type FoundRuleProblem, type RuleValidatorOptions } from "../../rules/engine/compile-rules.ts";
import type { RuleContext } from "../../rules/engine/rule-context.ts";
import { shapeOf } from "../../text/shape.ts";
import { compilePlatformValues } from "../../validate/platform-values.ts";

/** Returns the problems that rules find in a payload. `known`: the problems that the payload already has. */
export type CheckRules = (payload: JsonObject, known: readonly Problem[]) => readonly FoundRuleProblem[];

/**
 * Compiles the rules of a type. They are applied to the values that the platform reads. Only a payload with a warning
 * about a conversion needs to be converted.
 */
export function compileCheckRules(
  type: FieldType,
  context: RuleContext | undefined,
  options: RuleValidatorOptions,
): CheckRules | undefined {
  const check = context && compileRules(type, context, options);
  if (check === undefined) return undefined;
  let toPlatformValues: ((payload: JsonObject) => JsonObject) | undefined;
  return (payload, known) => {
    const reported = attrsWithErrors(known);
    if (!known.some(({ code }) => code === "coerced")) return check(payload, reported);
    toPlatformValues ??= compilePlatformValues(type);
    return check(toPlatformValues(payload), reported).map((problem) => withGivenValue(problem, payload));
  };
}

/** Describes the value as the payload has it, instead of the converted value. */
function withGivenValue(problem: FoundRuleProblem, payload: JsonObject): FoundRuleProblem {
  const value = valueAt(payload, problem.path);
  if (problem.shape === undefined || value === undefined || typeof value === "object") return problem;
  return { ...problem, shape: shapeOf(value), ...(problem.value !== undefined && { value: String(value) }) };
}

/**
 * Returns the attrs that already have errors. Rules that read them are skipped, because they would report the same
 * cause again.
 */
function attrsWithErrors(problems: readonly Problem[]): ReadonlySet<string> {
  if (problems.length === 0) return NO_ATTRS;
  const errors = problems.filter(({ severity }) => severity === "error");
  return new Set(errors.map(({ attr }) => attr.replace(/\.non_field_errors$/, "")));
}

export const NO_ATTRS: ReadonlySet<string> = new Set();
