import { requireBody } from "../../contract/operations/find-operation.ts";
import type { Step } from "../../contract/operations/operation.ts";
import { stepFields, stepFieldsType } from "../../contract/operations/step-fields.ts";
import { parametersType } from "../../contract/operations/request-parameters.ts";
import type { ObjectType } from "../../contract/types/field-type.ts";
import type { CompiledJob, Job } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { formatAttr, parseAttr } from "../../json/attr.ts";
import { documentRootOf } from "../../job/settings/supplier-settings.ts";
import { type JsonObject, valueAt } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import {
  hasErrors,
  type LocalProblem,
  type PayloadFinding,
  type Problem,
  type SourceFinding,
} from "../../model/problem.ts";
import { hasUnlistedErrors, limitProblems } from "../../model/problem-limit.ts";
import type { InputPosition, InputRecord, MappedRecord } from "../../model/record.ts";
import { invisibleCharacter } from "../../read/row/row-key.ts";
import type { WantedRecords } from "../../read/join/find-records.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import { compileRules, type FoundRuleProblem, type RuleValidatorOptions } from "../../rules/engine/compile-rules.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { compileValidator, type FoundProblem, type Validate } from "../../validate/compile-validator.ts";
import { type CheckRules, compileCheckRules, NO_ATTRS } from "./check-rules.ts";

export type { WantedRecords };

/** Yields the records of the input. Ends early, without an error, when the user stops the run. */
export async function* readRecords(
  { input }: { readonly input: Job["input"] },
  signal: AbortSignal,
  from?: InputPosition,
): AsyncGenerator<readonly InputRecord[]> {
  try {
    yield* input.records({ signal, from });
  } catch (error) {
    if (error !== signal.reason) throw error;
  }
}

export async function* foundRecords({ input }: Job, wanted: WantedRecords): AsyncGenerator<readonly InputRecord[]> {
  yield await input.find(wanted);
}

export async function* mapRecords(
  rows: AsyncIterable<readonly InputRecord[]>,
  job: CompiledJob,
): AsyncGenerator<readonly MappedRecord[]> {
  for await (const batch of rows) {
    await prepareRecords(batch, job);
    yield batch.map((record) => mapRecord(record, job));
  }
}

/**
 * Evaluates the functions of the mapping for a batch. Callers must await this before they map the batch.
 * @throws errors from `mapping.prepare`
 */
export async function prepareRecords(batch: readonly InputRecord[], { mapping }: CompiledJob): Promise<void> {
  await mapping.prepare?.(batch.flatMap(({ orphan, row }) => (orphan ? [] : row)));
}

export function mapRecord({ number, source, orphan, row, problems }: InputRecord, job: CompiledJob): MappedRecord {
  if (orphan) return { number, source, orphan, row, problems, key: undefined, payload: {}, readable: false };
  const mapped = job.mapping.map(row);
  const readable = problems.every(isHarmless);
  const all = readable && mapped.problems.length > 0 ? limitProblems([...problems, ...mapped.problems]) : problems;
  const { key, payload, steps, parameters, asOf } = mapped;
  return { number, source, orphan, row, problems: all, key, payload, steps, parameters, asOf, readable };
}

/** Returns true for a warning, and for a problem between rows that does not affect how the record is read. */
function isHarmless({ severity, code }: Problem): boolean {
  return severity === "warning" || CROSS_ROW_CODES.has(code);
}

const CROSS_ROW_CODES: ReadonlySet<string> = new Set<LocalProblem["code"]>([
  "source_duplicate_key",
  "source_missing_row",
]);

/** Applies `--only` and `--limit`. The selected records keep their numbers. */
export async function* selectRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  settings: JobSettings,
): AsyncGenerator<readonly MappedRecord[]> {
  const onlyWanted = keySelection(settings);
  let left = settings.limit ?? Number.POSITIVE_INFINITY;
  for await (const batch of records) {
    const wanted = onlyWanted(batch).slice(0, left);
    left -= wanted.length;
    if (wanted.length > 0) yield wanted;
    if (left <= 0) return;
  }
}

/** Returns a function that applies `--only` to a batch. */
export function keySelection({ only }: JobSettings): (batch: readonly MappedRecord[]) => readonly MappedRecord[] {
  if (only === undefined) return (batch) => batch;
  const keys = new Set(only.map(canonicalKey));
  return (batch) => batch.filter(({ key }) => key !== undefined && keys.has(canonicalKey(key)));
}

/**
 * Checks payloads, and adds the problems with their places. Does not check records that could not be read completely.
 */
export async function* checkRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  job: CompiledJob,
  shownValues: ShownValues | undefined,
): AsyncGenerator<readonly MappedRecord[]> {
  const checkBatch = compileChecks(job, shownValues?.noteValue);
  for await (const batch of records) yield checkBatch(batch);
}

/**
 * Returns a function that checks one batch of payloads.
 * @param noteValue receives the value of each problem if the user chose to show values
 * @throws Failure `contract_invalid` if records cannot be sent to the operation
 */
export function compileChecks(
  job: CompiledJob,
  noteValue: ShownValues["noteValue"] | undefined,
): (batch: readonly MappedRecord[]) => readonly MappedRecord[] {
  const body = requireBody(job.operation);
  const options = { keepValues: noteValue !== undefined };
  const validatorOf = perDocumentRoot(job, (documentRoot) =>
    compileValidator(body, { ...options, ...(documentRoot !== undefined && { documentRoot }) }),
  );
  const checkRules = compileCheckRules(body, job.ruleContext, options);
  const checkSteps = compileStepChecks(job, options);
  return (batch) => {
    const checked = batch.map((record) => {
      const validate = validatorOf(record.payload);
      return checkRecord(record, job, { validate, checkRules, checkSteps });
    });
    if (noteValue) for (const record of checked) noteValues(record, noteValue);
    return checked;
  };
}

/**
 * Compiles the checks that depend on several values of a payload: rules, and the fields of steps and parameters. The
 * compiled function returns true if a payload has no problem, provided that its individual values are valid. Returns
 * undefined if there are no such checks.
 */
export function compileJointChecks(job: CompiledJob): JointChecks | undefined {
  const { body, steps } = job.operation;
  const options = { keepValues: false };
  const checkRules = job.ruleContext && body && compileRules(body, job.ruleContext, options);
  const hasFields = steps.some((step) => stepFieldsType(step) !== undefined);
  if (checkRules === undefined && !hasFields && parametersType(job.operation) === undefined) return undefined;
  const checkSteps = compileStepChecks(job, options);
  return (payload) => !checkRules?.(payload, NO_ATTRS).length && checkSteps({ payload, problems: [] }).length === 0;
}

export type JointChecks = (payload: JsonObject) => boolean;

/**
 * Returns a function that makes a value for the document root of a payload, and caches the value. The root depends on
 * the import supplier in the payload, and the configuration has only a few roots.
 */
export function perDocumentRoot<T>(
  { operation, settings }: CompiledJob,
  make: (root: string | undefined) => T,
): (payload: JsonObject) => T {
  const made = new Map<string | undefined, T>();
  return (payload) => {
    const root = documentRootOf(payload, operation, settings);
    const known = made.get(root) ?? make(root);
    made.set(root, known);
    return known;
  };
}

interface Checks {
  readonly validate: Validate;
  /** Absent if there are no rules. */
  readonly checkRules: CheckRules | undefined;
  readonly checkSteps: CheckSteps;
}

function checkRecord(
  record: MappedRecord,
  job: CompiledJob,
  { validate, checkRules, checkSteps }: Checks,
): MappedRecord {
  // If some errors are counted but not listed, a repeated error would be counted as another error.
  if (!record.readable || hasUnlistedErrors(record.problems)) return record;
  const structure = validate(record.payload);
  const isWhole = !hasUnlistedErrors(structure);
  const broken = (isWhole && checkRules?.(record.payload, [...record.problems, ...structure])) || [];
  const stepProblems = isWhole ? checkSteps(record) : [];
  const found = broken.length + stepProblems.length === 0 ? structure : [...structure, ...broken, ...stepProblems];
  const keyFinding = job.mapping.keyAttr === undefined ? undefined : findingOfKey(record.key);
  if (found.length === 0 && keyFinding === undefined) return record;
  const wrong = new Set(record.problems.filter(({ severity }) => severity === "error").map(({ attr }) => attr));
  const located = limitProblems(found.filter(({ attr }) => !wrong.has(attr))).map(({ path, ...problem }) =>
    withPlace(problem, job.mapping.locate(record.row, path)),
  );
  const problems = limitProblems([...record.problems, ...located]);
  return {
    ...record,
    problems: keyFinding === undefined ? problems : withKeyProblem(problems, keyFinding, record, job),
  };
}

/**
 * Returns the error in a business key. A key may be missing, even if the contract does not require it: the record could
 * not be recognised later. A key with an invisible character looks like another key.
 */
function findingOfKey(key: string | undefined): KeyFinding | undefined {
  if (key === undefined) return { code: "required" };
  const character = invisibleCharacter(key);
  return character === undefined ? undefined : { code: "source_control_character", character };
}

type KeyFinding = Extract<PayloadFinding | SourceFinding, { readonly code: "required" | "source_control_character" }>;

function withKeyProblem(
  problems: readonly Problem[],
  finding: KeyFinding,
  { row }: MappedRecord,
  { mapping }: CompiledJob,
): readonly Problem[] {
  const { keyAttr = [], locate } = mapping;
  const attr = formatAttr(keyAttr);
  const hasError = problems.some((problem) => problem.attr === attr && problem.severity === "error");
  if (finding.code === "required" && hasError) return problems;
  const problem = { attr, severity: "error", by: "local", ...finding } as const;
  return limitProblems([...problems, withPlace(problem, locate(row, keyAttr))]);
}

/** Whether a checked record may be sent. */
export function isValid(record: MappedRecord): boolean {
  return record.readable && !hasErrors(record.problems);
}

/**
 * Passes on the value of each problem. Problems that the mapping reports do not include the value, so it is read from
 * the payload.
 */
function noteValues({ problems, payload }: MappedRecord, noteValue: ShownValues["noteValue"]): void {
  for (const { place, value, attr } of problems) {
    if (place) noteValue(place, attr, value ?? valueAt(payload, parseAttr(attr)));
  }
}

function withPlace<P extends object>(problem: P, place: Place | undefined): P & { readonly place?: Place } {
  return place === undefined ? problem : { place, ...problem };
}

/**
 * Returns the problems of step bodies and parameters, without the problems of the payload. Attrs refer to the fields of
 * the step.
 */
type CheckSteps = (record: Pick<MappedRecord, "payload" | "problems" | "steps" | "parameters">) => readonly Found[];
type Found = FoundProblem | FoundRuleProblem;

function compileStepChecks(job: CompiledJob, options: RuleValidatorOptions): CheckSteps {
  const checks = job.operation.steps.flatMap((step) => {
    const type = stepFieldsType(step);
    return type === undefined ? [] : [compileStepCheck(step, type, job, options)];
  });
  const type = parametersType(job.operation);
  const validateParameters = type && compileValidator(type, options);
  // Attrs have the form `parameters.companyId`.
  if (validateParameters) checks.push(({ parameters = {} }) => validateParameters({ parameters }));
  return checks.length === 0 ? () => NO_PROBLEMS : (record) => checks.flatMap((check) => check(record));
}

const NO_PROBLEMS: readonly Found[] = [];

function compileStepCheck(
  { name, body }: Step,
  type: ObjectType,
  { ruleContext }: CompiledJob,
  options: RuleValidatorOptions,
): CheckSteps {
  const validate = compileValidator(type, options);
  const checkRules = compileCheckRules(type, ruleContext, options);
  const borrowed = new Set(Object.entries(body ?? {}).flatMap(([field, source]) => ("attr" in source ? [field] : [])));
  return ({ payload, steps, problems }) => {
    const fields = stepFields(body, payload, steps?.get(name));
    const structure = validate(fields);
    const broken = checkRules?.(fields, [...problems, ...structure]) ?? [];
    // Problems with values copied from the payload are omitted, because they are reported for the payload.
    return [...structure, ...broken].filter(({ path: [field] }) => !borrowed.has(String(field)));
  };
}
