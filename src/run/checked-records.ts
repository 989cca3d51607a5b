import { formatAttr, parseAttr } from "../model/attr.ts";
import { Failure } from "../model/failure.ts";
import { valueAt } from "../model/json.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import { hasErrors } from "../model/problem.ts";
import type { MappedRecord } from "../model/record.ts";
import type { InputRecord } from "../model/row.ts";
import type { ShownValues } from "../report/shown-values.ts";
import { compileRules, type JudgeRules } from "../rules/compile-rules.ts";
import type { Validate } from "../validate/compile-validator.ts";
import { compileValidator } from "../validate/compile-validator.ts";
import type { Job, JobSettings } from "./job.ts";
import { compileStepChecks, wrongAttrs, type CheckSteps } from "./step-checks.ts";

/** The input's records; they end early, without an error, when the user stops the run. */
export async function* readRecords({ input }: Job, signal: AbortSignal): AsyncGenerator<readonly InputRecord[]> {
  try {
    yield* input.records({ signal });
  } catch (error) {
    if (error !== signal.reason) throw error;
  }
}

/** Rows -> payloads. */
export async function* mapRecords(
  rows: AsyncIterable<readonly InputRecord[]>,
  job: Job,
): AsyncGenerator<readonly MappedRecord[]> {
  for await (const batch of rows) yield batch.map((record) => mapRecord(record, job));
}

function mapRecord({ number, source, orphan, row, problems }: InputRecord, job: Job): MappedRecord {
  if (orphan) return { number, source, orphan, row, problems, key: undefined, payload: {}, readable: false };
  const mapped = job.mapping.map(row);
  const readable = !hasErrors(problems);
  const all = readable && mapped.problems.length > 0 ? [...problems, ...mapped.problems] : problems;
  const { key, payload, steps } = mapped;
  return { number, source, orphan, row, problems: all, key, payload, steps, readable };
}

/** `--only` and `--limit`: the numbers of the records stay those of the whole input. */
export async function* selectRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  settings: Pick<JobSettings, "limit" | "only">,
): AsyncGenerator<readonly MappedRecord[]> {
  const only = settings.only && new Set(settings.only);
  let left = settings.limit ?? Number.POSITIVE_INFINITY;
  for await (const batch of records) {
    const wanted = (only ? batch.filter((record) => record.key !== undefined && only.has(record.key)) : batch).slice(
      0,
      left,
    );
    left -= wanted.length;
    if (wanted.length > 0) yield wanted;
    if (left <= 0) return;
  }
}

/** Payloads -> problems, each at its place. A record that could not be read whole is not judged further. */
export async function* checkRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  job: Job,
  shownValues: ShownValues | undefined,
): AsyncGenerator<readonly MappedRecord[]> {
  const { body } = job.operation;
  if (body === undefined) {
    throw new Failure("contract_invalid", `the operation "${job.operation.id}" has no request body`, {
      hint: "choose one that has, with --operation",
    });
  }
  const { documentRoot } = job.settings;
  const validate = compileValidator(body, {
    keepValues: shownValues !== undefined,
    ...(documentRoot !== undefined && { documentRoot }),
  });
  const judge = job.ruleWorld && compileRules(body, job.ruleWorld, { keepValues: shownValues !== undefined });
  const checkSteps = compileStepChecks(job, { keepValues: shownValues !== undefined });
  for await (const batch of records) {
    const checked = batch.map((record) => checkRecord(record, job, { validate, judge, checkSteps }));
    if (shownValues) for (const record of checked) noteValues(record, shownValues);
    yield checked;
  }
}

interface Checks {
  readonly validate: Validate;
  /** Absent where there are no rules. */
  readonly judge: JudgeRules | undefined;
  readonly checkSteps: CheckSteps;
}

function checkRecord(record: MappedRecord, job: Job, { validate, judge, checkSteps }: Checks): MappedRecord {
  if (!record.readable) return record;
  const structure = validate(record.payload);
  const broken = judge?.(record.payload, wrongAttrs([...record.problems, ...structure])) ?? [];
  const aside = checkSteps(record);
  const found = broken.length + aside.length === 0 ? structure : [...structure, ...broken, ...aside];
  if (found.length === 0 && (record.key !== undefined || job.mapping.keyAttr === undefined)) return record;
  const wrong = new Set(record.problems.filter(({ severity }) => severity === "error").map(({ attr }) => attr));
  const located = found
    .filter(({ attr }) => !wrong.has(attr))
    .map(({ path, ...problem }) => withPlace(problem, job.mapping.locate(record.row, path)));
  const problems = [...record.problems, ...located];
  return { ...record, problems: record.key === undefined ? withKeyProblem(problems, record, job) : problems };
}

/** A record without its business key could not be known again; the contract may not ask for it, the tool does. */
function withKeyProblem(problems: readonly Problem[], { row }: MappedRecord, { mapping }: Job): readonly Problem[] {
  const attr = formatAttr(mapping.keyAttr ?? []);
  if (
    mapping.keyAttr === undefined ||
    problems.some((problem) => problem.attr === attr && problem.severity === "error")
  ) {
    return problems;
  }
  const missing = { attr, code: "required", severity: "error", by: "local" } as const;
  return [...problems, withPlace(missing, mapping.locate(row, mapping.keyAttr))];
}

/** Whether a checked record may be sent. */
export function isValid(record: MappedRecord): boolean {
  return record.readable && !hasErrors(record.problems);
}

/** Problems of the mapping carry no value: what could not be converted stands in the payload as it was. */
function noteValues({ problems, payload }: MappedRecord, shownValues: ShownValues): void {
  for (const { place, value, attr } of problems) {
    if (place) shownValues.noteValue(place, value ?? valueAt(payload, parseAttr(attr)));
  }
}

function withPlace<P extends object>(problem: P, place: Place | undefined): P & { readonly place?: Place } {
  return place === undefined ? problem : { ...problem, place };
}
