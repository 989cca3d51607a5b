import { stepFields, stepFieldsType } from "../contract/step-fields.ts";
import type { ObjectType } from "../contract/field-type.ts";
import type { Step } from "../contract/workflow.ts";
import type { Problem } from "../model/problem.ts";
import type { MappedRecord } from "../model/record.ts";
import { compileRules, type FoundRuleProblem } from "../rules/compile-rules.ts";
import { compileValidator, type FoundProblem } from "../validate/compile-validator.ts";
import type { Job } from "./job.ts";

/** What is wrong with the bodies of steps, the payload apart; attrs are those of the step's own fields. */
export type CheckSteps = (record: MappedRecord) => readonly Found[];
type Found = FoundProblem | FoundRuleProblem;

interface CheckOptions {
  /** Whether problems carry the value itself: only when the user asked to see values. */
  readonly keepValues: boolean;
}

export function compileStepChecks(job: Job, options: CheckOptions): CheckSteps {
  const checks = job.operation.steps.flatMap((step) => {
    const type = stepFieldsType(step);
    return type === undefined ? [] : [compileStepCheck(step, type, job, options)];
  });
  return checks.length === 0 ? () => NOTHING : (record) => checks.flatMap((check) => check(record));
}

const NOTHING: readonly Found[] = [];

function compileStepCheck(
  { name, body }: Step,
  type: ObjectType,
  { ruleWorld }: Job,
  options: CheckOptions,
): CheckSteps {
  const validate = compileValidator(type, options);
  const judge = ruleWorld && compileRules(type, ruleWorld, options);
  const borrowed = new Set(Object.entries(body ?? {}).flatMap(([field, source]) => ("attr" in source ? [field] : [])));
  return ({ payload, steps, problems }) => {
    const fields = stepFields(body, payload, steps?.get(name));
    const structure = validate(fields);
    const broken = judge?.(fields, wrongAttrs([...problems, ...structure])) ?? [];
    // What is wrong with a value of the payload is said of the payload.
    return [...structure, ...broken].filter(({ path: [field] }) => !borrowed.has(String(field)));
  };
}

/** Where something is reported already: rules that read there would report its consequences. */
export function wrongAttrs(problems: readonly Pick<Problem, "attr" | "severity">[]): ReadonlySet<string> {
  if (problems.length === 0) return NOWHERE;
  const errors = problems.filter(({ severity }) => severity === "error");
  return new Set(errors.map(({ attr }) => attr.replace(/\.non_field_errors$/, "")));
}

const NOWHERE: ReadonlySet<string> = new Set();
